"""How a page looks: one style sheet, light and dark, for phones and for desks."""

from __future__ import annotations

__all__ = ["STYLE"]

# Blue and orange are told apart by nearly everybody; what colour says is said by text or shape as well.
STYLE = """
:root {
  color-scheme: light dark;
  --paper: #ffffff; --card: #f6f7f9; --ink: #1b1f24; --soft: #57606a; --line: #d8dee4;
  --right: 0 96 168; --wrong: 196 78 0; --right-ink: #00558f; --wrong-ink: #a84300; --on-heat: #ffffff;
  --base-a: #f2c14e; --base-c: #7fb8de; --base-g: #e8917a; --base-u: #8fc4a6; --base-ink: #1b1f24;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #12161c; --card: #1b2129; --ink: #e8ecf1; --soft: #9ba7b4; --line: #333c47;
    --right: 92 178 240; --wrong: 245 150 70; --right-ink: #7cc4f5; --wrong-ink: #f9ad6b; --on-heat: #0b0e12;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; scroll-behavior: smooth; }
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
body {
  margin: 0; background: var(--paper); color: var(--ink); line-height: 1.55; font-size: 1rem;
  font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", "DejaVu Sans", Arial, sans-serif;
  font-variant-numeric: tabular-nums;
}
main, header, footer { max-width: 66rem; margin: 0 auto; padding: 0 1.25rem; }
header { padding-top: 2.5rem; }
h1 { font-size: clamp(1.5rem, 1.2rem + 1.6vw, 2.25rem); line-height: 1.2; margin: 0 0 .4rem; letter-spacing: -.015em; }
h2 { font-size: 1.3rem; line-height: 1.3; margin: 0 0 .35rem; letter-spacing: -.01em; }
h3 { font-size: 1rem; margin: 0 0 .5rem; overflow-wrap: anywhere; }
section { padding: 1.9rem 0 .4rem; border-top: 1px solid var(--line); margin-top: 1.9rem; }
p { margin: 0 0 .9rem; max-width: 44rem; overflow-wrap: anywhere; }
.lead, .note, figcaption { color: var(--soft); }
.lead { font-size: 1.05rem; }
.note, figcaption { font-size: .875rem; }
h2 + .grid, h2 + .tiles, .grid + .note { margin-top: .8rem; }
a { color: var(--right-ink); }
:focus-visible { outline: 2px solid var(--right-ink); outline-offset: 2px; }
.skip { position: absolute; left: -999rem; }
.skip:focus { left: 1rem; top: 1rem; background: var(--paper); padding: .5rem; }
nav ul { display: flex; flex-wrap: wrap; gap: .4rem; list-style: none; padding: 0; margin: 1.1rem 0 0; }
nav a { display: block; padding: .25rem .75rem; border: 1px solid var(--line); border-radius: 1rem; font-size: .875rem;
  text-decoration: none; color: var(--ink); }
nav a:hover { border-color: var(--right-ink); color: var(--right-ink); }
.grid { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 19rem), 1fr));
  align-items: start; }
.grid.figures { grid-template-columns: repeat(auto-fill, minmax(min(100%, 26rem), 1fr)); }
.side { display: flex; flex-wrap: wrap; gap: 1rem 2.5rem; align-items: flex-start; }
.side > * { min-width: 0; max-width: 100%; }
.tiles { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 13rem), 1fr)); }
.card { background: var(--card); border-radius: .6rem; padding: 1rem 1.1rem; min-width: 0; }
.tile b { display: block; font-size: 2.1rem; line-height: 1.15; letter-spacing: -.02em; font-weight: 650; }
.tile b small { font-size: 1rem; font-weight: 500; color: var(--soft); letter-spacing: 0; margin-left: .15rem; }
.tile .name { font-weight: 600; font-size: .95rem; }
.tile .note { display: block; }
.range { position: relative; height: .5rem; border-radius: .25rem; background: var(--line); margin: .6rem 0 .5rem; }
.range i { position: absolute; top: 0; bottom: 0; border-radius: .25rem; background: rgb(var(--right) / .4);
  min-width: .25rem; }
.range u { position: absolute; top: -.15rem; bottom: -.15rem; width: .2rem; margin-left: -.1rem; border-radius: .1rem;
  background: rgb(var(--right)); }
dl { display: grid; grid-template-columns: minmax(6rem, max-content) minmax(0, 1fr); gap: .3rem 1rem; margin: 0;
  font-size: .925rem; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; max-width: 100%; }
table { border-collapse: collapse; font-size: .9rem; margin: 0 0 .6rem; }
th, td { padding: .25rem .65rem; text-align: right; white-space: nowrap; }
thead th { font-weight: 600; color: var(--soft); border-bottom: 1px solid var(--line); vertical-align: bottom; }
tbody th { font-weight: 500; }
.plain th:first-child, .plain .text { text-align: left; }
.plain th:first-child { padding-left: 0; max-width: 16rem; overflow: hidden; text-overflow: ellipsis; }
.plain tbody tr + tr > * { border-top: 1px solid var(--line); }
.confusion { border-collapse: separate; border-spacing: 2px; font-size: .8rem; }
.confusion td { min-width: 2.3rem; height: 1.75rem; padding: .1rem .3rem; text-align: center; border-radius: .2rem; }
.confusion th { border: 0; padding: .1rem .35rem; font-family: ui-monospace, "Liberation Mono", Menlo, monospace;
  color: var(--ink); font-weight: 500; max-width: 11rem; overflow: hidden; text-overflow: ellipsis; }
.confusion thead th { text-align: center; }
.confusion thead th.long span { display: inline-block; writing-mode: vertical-rl; transform: rotate(180deg);
  text-align: left; max-height: 9rem; overflow: hidden; text-overflow: ellipsis; padding: .2rem 0; }
.confusion .corner { text-align: right; white-space: normal; max-width: 5.5rem;
  color: var(--soft); font-family: inherit; font-weight: 400; }
.confusion td.strong { color: var(--on-heat); }
.confusion td.zero { color: var(--line); }
.confusion tbody th { position: sticky; left: 0; background: var(--paper); }
figure { margin: 0; min-width: 0; }
figure svg { display: block; width: 100%; max-width: 30rem; height: auto; margin: 0 auto; }
figure.wide { justify-self: start; max-width: 100%; }
figure.wide .scroll svg { width: auto; max-width: none; margin: 0; }
figcaption { margin-top: .5rem; max-width: 44rem; }
svg text { fill: var(--ink); font-size: 12px; font-family: inherit; }
svg .soft { fill: var(--soft); }
svg .halo { paint-order: stroke; stroke: var(--card); stroke-width: 4px; stroke-linejoin: round; }
svg .axis { stroke: var(--line); fill: none; }
code, .mono { font-family: ui-monospace, "Liberation Mono", "DejaVu Sans Mono", Menlo, Consolas, monospace;
  font-size: .92em; }
svg .mono { font-size: 11.5px; }
ul.bars { list-style: none; margin: 0; padding: 0; font-size: .875rem; }
ul.bars li { display: grid; grid-template-columns: minmax(0, 1fr) 5.5rem 3.9rem; gap: .6rem; align-items: center;
  padding: .1rem 0; }
ul.bars code { overflow-wrap: anywhere; line-height: 1.35; white-space: pre-wrap; unicode-bidi: isolate; }
ul.bars .bar { height: .7rem; border-radius: .15rem; background: rgb(var(--right)); }
ul.bars .bar.minus { background: rgb(var(--wrong)); }
ul.bars .weight { text-align: right; }
article { margin-bottom: 1rem; }
article .meta { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; color: var(--soft); font-size: .875rem;
  margin-bottom: .6rem; }
article h3 { margin-bottom: .1rem; unicode-bidi: isolate; }
.block { margin: .5rem 0; }
.block > .note { margin: 0 0 .15rem; }
.columns { display: flex; flex-wrap: wrap; gap: .5rem 0; font-family: ui-monospace, "Liberation Mono",
  "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: .85rem; line-height: 1.45; }
.columns > span { display: flex; flex-direction: column; padding: 0 .32rem; border-radius: .2rem; max-width: 100%; }
.columns.tight > span { padding: 0 .06rem; min-width: 1ch; }
.columns.tight { gap: .6rem 0; }
.columns > span > span { min-height: 1.45em; text-align: center; unicode-bidi: isolate; overflow-wrap: anywhere;
  white-space: pre-wrap; }
.columns > .names, .columns.tight > .names { color: var(--soft); padding: 0 .8rem 0 0; }
.columns > .names > span { text-align: left; font-family: inherit; }
.columns > .wrong { background: rgb(var(--wrong) / .2); box-shadow: inset 0 -2px 0 rgb(var(--wrong)); }
.columns > .wrong > span:last-child { font-weight: 700; color: var(--wrong-ink); }
.columns .soft { color: var(--soft); }
.told { white-space: pre-wrap; overflow-wrap: anywhere; line-height: 1.8; margin: 0; max-width: none; }
.told mark { color: inherit; border-radius: .15rem; padding: .1em 0; background: none; }
.told mark.for { background: rgb(var(--right) / var(--much)); }
.told mark.against { background: rgb(var(--wrong) / var(--much)); text-decoration: underline dotted; }
footer { padding-top: 1.5rem; padding-bottom: 3rem; color: var(--soft); font-size: .875rem; }
@media (max-width: 30rem) {
  main, header, footer { padding-left: 1rem; padding-right: 1rem; }
  header { padding-top: 1.5rem; }
  .card { padding: .85rem .9rem; }
  section { padding-top: 1.4rem; margin-top: 1.4rem; }
  .plain th, .plain td { padding: .25rem .25rem; }
  .plain { font-size: .78rem; }
  .plain thead th { white-space: normal; font-size: .72rem; }
  .plain th:first-child { max-width: 7.5rem; }
  .confusion th { max-width: 7rem; }
  .confusion .corner { max-width: 6.5rem; }
}
@media print { nav { display: none; } section { break-inside: avoid-page; } }
"""
