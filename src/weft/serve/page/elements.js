// Small pieces of the page. Text is always set as text, never as markup.

export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (key === "style") for (const [property, each] of Object.entries(value)) made.style.setProperty(property, each);
    else if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

export const percent = (share) =>
  share >= 0.9995 ? "100 %" : share > 0 && share < 0.001 ? "< 0.1 %" : `${(100 * share).toFixed(1)} %`;

export const written = (value) =>
  Array.isArray(value) ? value.map(written).join(" ") : typeof value === "object" && value ? JSON.stringify(value) : `${value}`;

export function title(text) {
  return element("h3", {}, text);
}

// A bar says what the number beside it says, so readers of screens skip it.
export function bars(items, label, show = percent) {
  const largest = Math.max(1e-12, ...items.map((item) => Math.abs(item.value)));
  return element("ul", { class: "bars", "aria-label": label }, ...items.map((item) =>
    element("li", {},
      element("span", { class: "name mono" }, item.name),
      element("span", { "aria-hidden": "true" },
        element("span", { class: item.value < 0 ? "bar minus" : "bar",
          style: { display: "block", width: `${(100 * Math.abs(item.value) / (show === percent ? 1 : largest)).toFixed(1)}%` } })),
      element("span", { class: "number" }, show(item.value)))));
}

export function facts(pairs) {
  const known = pairs.filter(([, value]) => value !== undefined && value !== null);
  return element("ul", { class: "facts" }, ...known.map(([name, value]) =>
    element("li", {}, `${name} `, element("b", {}, value))));
}

// Drawings come from the server, which escapes what they say; scripts could not run in them either.
export function drawing(svg, natural) {
  const parsed = new DOMParser().parseFromString(svg, "text/html").querySelector("svg");
  return element("figure", { class: natural ? "natural" : "" },
    natural ? element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Drawing" }, parsed) : parsed);
}

export const number = (value) =>
  Math.abs(value) >= 100 ? value.toFixed(0) : Math.abs(value) < 1e-9 ? "0" : value.toPrecision(3);
