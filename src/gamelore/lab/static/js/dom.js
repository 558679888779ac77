// Elements without markup: texts are always text, never HTML.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, props, children) {
  for (const [name, value] of Object.entries(props || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "style") {
      for (const [key, part] of Object.entries(value)) node.style.setProperty(key, part);
    } else if (name === "value" || name === "checked" || name === "disabled" || name === "open")
      node[name] = value;
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : String(child));
  }
  return node;
}

export const h = (tag, props, ...children) =>
  fill(document.createElement(tag), props, children);

export const s = (tag, props, ...children) =>
  fill(document.createElementNS(SVG, tag), props, children);

export function replace(node, ...children) {
  node.replaceChildren(
    ...children.flat(Infinity).filter((one) => one !== null && one !== undefined && one !== false),
  );
}

const SHAPES = new Set([
  "svg", "g", "title", "desc", "rect", "circle", "ellipse", "line", "polyline", "polygon",
  "path", "text", "tspan", "defs", "use", "symbol", "marker", "linearGradient",
  "radialGradient", "stop", "clipPath", "pattern",
]);

/** The picture of a position; whatever is no shape is left out. */
export function readPicture(text) {
  const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
  const root = parsed.documentElement;
  if (root.nodeName !== "svg") return s("svg");
  for (const node of [...root.querySelectorAll("*")]) {
    if (!SHAPES.has(node.localName)) node.remove();
    else
      for (const { name, value } of [...node.attributes])
        if (/^on|^style$/i.test(name) || (/href$/i.test(name) && !value.startsWith("#")))
          node.removeAttribute(name);
  }
  return document.importNode(root, true);
}

export function toast(message, kind = "error") {
  const box = document.getElementById("toasts");
  const note = h(
    "div",
    { class: `toast ${kind}` },
    h("span", {}, message),
    h("button", { type: "button", class: "icon", "aria-label": "Close", onclick: () => note.remove() }, "×"),
  );
  box.append(note);
  while (box.childElementCount > 4) box.firstElementChild.remove();
  setTimeout(() => note.remove(), kind === "error" ? 9000 : 4000);
}

export const count = (number) => Math.round(number).toLocaleString("en");

export function short(number) {
  if (number < 1000) return String(Math.round(number));
  if (number < 1e6) return `${(number / 1000).toFixed(number < 1e4 ? 1 : 0)}k`;
  return `${(number / 1e6).toFixed(1)}M`;
}

export function debounce(wait, act) {
  let timer = 0;
  const later = (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => act(...args), wait);
  };
  later.cancel = () => clearTimeout(timer);
  return later;
}

export function button(label, act, props = {}) {
  return h("button", { type: "button", onclick: act, ...props }, label);
}

export function download(name, text) {
  const link = h("a", {
    href: URL.createObjectURL(new Blob([text], { type: "application/json" })),
    download: name,
  });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
