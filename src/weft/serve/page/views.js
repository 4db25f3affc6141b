// For each kind of model what people would rather look at than read.
import { bars, drawing, element, facts, number, percent, title, written } from "./elements.js";

const sureFacts = (answer) => facts([
  ["confidence", answer.confidence === undefined ? undefined : percent(answer.confidence)],
  ["z-score", answer.z_score === undefined ? undefined : number(answer.z_score)],
]);

// What is answered may be the output that is expected to have most right, and not the most probable one.
function ranking(answer, key) {
  if (!answer.kbest || answer.kbest.length < 2) return [];
  const items = answer.kbest.map((each) => ({ name: written(each[key]), value: each.probability }));
  const note = "The answer above is the output that is expected to have most right; these are the most probable ones.";
  return [title("Most probable outputs"), bars(items, "Most probable outputs and their probabilities"),
    items[0].name === written(answer[key]) ? null : element("p", { class: "note" }, note)];
}

function weights(features, label) {
  if (!features || !features.length) return [];
  const items = features.slice(0, 12).map((each) => ({ name: each.name, value: each.contribution }));
  return [title(label), bars(items, label, number)];
}

const tokenText = (token) => {
  if (typeof token === "string") return token;
  if (Array.isArray(token)) return typeof token[0] === "string" ? token[0] : token.map((x) => number(x)).join(" ");
  return typeof token === "object" ? Object.entries(token).slice(0, 2).map(([k, v]) => `${k}=${v}`).join(", ") : `${token}`;
};

// One tone for each label; labels such as B-NP and I-NP share that of their chunk.
function toneOf(label, labels) {
  const chunk = (name) => `${name}`.replace(/^[BIES]-/, "");
  const chunks = [...new Set((labels ?? []).map(chunk))];
  return (Math.max(0, chunks.indexOf(chunk(label))) * 137.5 + 200) % 360;
}

function tag({ input, answer, explanation, model }) {
  const tokens = typeof input === "string" ? [...input] : input;
  const detail = element("div", { class: "detail", id: "token-detail", "aria-live": "polite", hidden: true });
  const buttons = [];
  const items = tokens.map((token, place) => {
    const label = answer.labels[place];
    const told = explanation?.tokens?.[place];
    const row = answer.marginals?.[place];
    const sure = row ? row[model.labels.indexOf(label)] : undefined;
    const word = tokenText(token);
    const open = () => {
      const was = button.getAttribute("aria-expanded") === "true";
      buttons.forEach((each) => each.setAttribute("aria-expanded", "false"));
      button.setAttribute("aria-expanded", `${!was}`);
      detail.hidden = was;
      if (was) return;
      detail.replaceChildren(title(`${word}: ${label}`),
        bars((told?.rivals ?? []).map((each) => ({ name: `${each.label}`, value: each.probability })), "Labels and their probabilities"),
        ...weights(told?.features, "What speaks for the label"));
    };
    const button = element("button", { type: "button", class: "token", "aria-expanded": "false", "aria-controls": "token-detail",
      style: { "--tone": toneOf(label, model.labels) }, onclick: open,
      "aria-label": `${word}: ${label}${sure === undefined ? "" : `, ${percent(sure)}`}` },
    element("span", { class: "word mono" }, word),
    element("span", { class: "label" }, `${label}`),
    sure === undefined ? null : element("span", { class: "sure", "aria-hidden": "true" },
      element("i", { style: { width: `${(100 * sure).toFixed(1)}%` } })));
    buttons.push(button);
    return element("li", {}, button);
  });
  return [sureFacts(answer), element("ul", { class: "tokens", "aria-label": "Tokens and their labels" }, ...items),
    element("p", { class: "note" }, "The bar below a label is its probability; a token shows its other labels when it is chosen."),
    detail, ...ranking(answer, "labels")];
}

function alignmentOf(pairs) {
  return element("ul", { class: "columns pairs", "aria-label": "What each symbol became" }, ...pairs.map((pair) =>
    element("li", {}, element("span", { class: "mono" }, pair.input), element("span", { "aria-hidden": "true" }, "↓"),
      element("span", { class: "hidden" }, "became"),
      element("span", { class: "mono to" }, pair.output.length ? pair.output.join(" ") : "–"))));
}

function rewrite({ answer, explanation }) {
  const aligned = explanation?.alignment;
  return [element("p", { class: "big mono" }, written(answer.output) || "(nothing)"), sureFacts(answer),
    ...(aligned?.length ? [title("From symbol to symbol"), alignmentOf(aligned)] : []), ...ranking(answer, "output")];
}

function regress({ answer, explanation }) {
  const grams = (explanation?.grams ?? []).map((each) => ({ name: each.name, value: each.count }));
  return [element("p", { class: "big mono" }, written(answer.output) || "(nothing)"), sureFacts(answer), ...ranking(answer, "output"),
    ...(grams.length ? [title("Predicted n-grams"), bars(grams, "Predicted n-grams and their counts", number)] : [])];
}

function align({ answer, explanation }) {
  const shown = (each) => ({ ...each, shown: each.alignment.map(written).join("\n") });
  const [top, bottom] = answer.alignment.map((row) => (typeof row === "string" ? [...row] : row));
  const chances = new Map((answer.marginals ?? []).map(([i, j, p]) => [`${i},${j}`, p]));
  let i = 0;
  let j = 0;
  const columns = top.map((a, k) => {
    const b = bottom[k];
    const paired = a !== "-" && b !== "-";
    const sure = paired ? chances.get(`${i},${j}`) ?? 0 : undefined;
    i += a !== "-";
    j += b !== "-";
    const same = paired && a === b ? "same" : "";
    const text = paired ? `, ${percent(Math.min(1, sure))}` : "";
    return element("li", { title: `${a} ${b}${text}` },
      element("span", { class: `mono ${a === "-" ? "gap" : same}` }, a), element("span", { class: `mono ${b === "-" ? "gap" : same}` }, b),
      element("span", { class: "sure", "aria-hidden": "true" },
        paired ? element("i", { style: { height: `${(100 * Math.min(1, sure)).toFixed(0)}%` } }) : null),
      element("span", { class: "hidden" }, text));
  });
  return [sureFacts(answer), element("ul", { class: "columns", "aria-label": "Columns of the alignment" }, ...columns),
    element("p", { class: "note" }, "Below each column of two letters, how probable it is."),
    ...weights(explanation?.features, "What the score is made of"),
    ...ranking({ ...shown(answer), kbest: answer.kbest?.map(shown) }, "shown")];
}

function fold({ answer, explanation, picture }) {
  return [sureFacts(answer), picture ? drawing(picture, false) : null,
    element("p", { class: "mono scroll" }, answer.structure),
    element("p", { class: "note" }, "Bars between bases are the thicker the more probable the pair is."),
    ...ranking(answer, "structure"), ...weights(explanation?.features, "What the score is made of")];
}

function parse({ answer, explanation, picture }) {
  return [sureFacts(answer), picture ? drawing(picture, true) : null, element("p", { class: "mono" }, answer.tree),
    ...ranking(answer, "tree"), ...weights(explanation?.features, "What the score is made of")];
}

function markedText(input, contributions) {
  const symbols = typeof input === "string" ? [...input] : input;
  const largest = Math.max(1e-12, ...contributions.map(Math.abs));
  const parts = [];
  symbols.forEach((symbol, place) => {
    const level = Math.round((4 * contributions[place]) / largest);
    const last = parts[parts.length - 1];
    const text = typeof input === "string" ? symbol : `${place ? " " : ""}${tokenText(symbol)}`;
    if (last && last.level === level) last.text += text;
    else parts.push({ level, text });
  });
  return element("p", { class: "told" }, ...parts.map(({ level, text }) => level
    ? element("mark", { class: level > 0 ? "for" : "against", style: { "--much": 0.13 * Math.abs(level) } }, text) : text));
}

function classify({ input, answer, explanation, picture }) {
  const chances = Object.entries(answer.probabilities ?? {}).sort((a, b) => b[1] - a[1]).slice(0, 10);
  const scores = Object.entries(explanation?.decisions ?? {}).sort((a, b) => b[1] - a[1]).slice(0, 10);
  const asItems = (pairs) => pairs.map(([name, value]) => ({ name, value }));
  const marked = explanation?.contributions && (typeof input === "string" || Array.isArray(input));
  return [element("p", { class: "big" }, written(answer.label)), sureFacts(answer),
    ...(chances.length ? [title("Classes"), bars(asItems(chances), "Classes and their probabilities")]
      : scores.length ? [title("Decisions"), bars(asItems(scores), "Classes and their decisions", number)] : []),
    ...(marked ? [title("What speaks for it in the text"), markedText(input, explanation.contributions),
      element("p", { class: "note" }, "Blue speaks for the class, orange and dotted lines against it.")] : []),
    picture ? drawing(picture, true) : null,
    ...weights(explanation?.features, "n-grams that speak for it")];
}

export const VIEWS = { tag, rewrite, regress, align, fold, parse, classify };

// One sentence for those who listen.
export function summary(kind, answer) {
  const output = answer.labels ?? answer.output ?? answer.alignment ?? answer.structure ?? answer.tree ?? answer.label;
  const sure = answer.confidence === undefined ? "" : `, confidence ${percent(answer.confidence)}`;
  return `Answer: ${written(output)}${sure}`;
}
