// The frame of the page: parts by address, the theme, and the state of the connection.

import { h, replace, toast } from "./dom.js";
import { link } from "./link.js";

const PARTS = {
  play: () => import("./setup.js"),
  match: () => import("./match.js"),
  position: () => import("./match.js"),
  record: () => import("./match.js"),
  watch: () => import("./watch.js"),
  learn: () => import("./learn.js"),
  transfer: () => import("./transfer.js"),
  write: () => import("./write.js"),
};
const NAVIGATION = { match: "play", position: "play", record: "watch" };
const TITLES = { play: "Play", match: "Match", position: "Analysis", record: "Record", watch: "Watch", learn: "Learn", transfer: "Transfer", write: "Write" };

const main = document.getElementById("main");
let current = null;
let opening = 0;

async function open() {
  const [part, ...rest] = location.hash.replace(/^#\/?/, "").split("/");
  const name = part in PARTS ? part : "play";
  const number = ++opening;
  const page = await PARTS[name]();
  if (number !== opening) return;
  current?.close?.();
  replace(main);
  for (const anchor of document.querySelectorAll("[data-part]")) {
    const here = anchor.dataset.part === (NAVIGATION[name] || name);
    if (here) anchor.setAttribute("aria-current", "page");
    else anchor.removeAttribute("aria-current");
  }
  document.title = `${TITLES[name]} · gamelore lab`;
  try {
    current = page.open(main, name, rest.map(decodeURIComponent));
  } catch (error) {
    current = null;
    replace(main, h("p", { class: "empty" }, error.message));
  }
}

// ── theme ──

const THEMES = ["auto", "light", "dark"];
function setTheme(theme) {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  document.getElementById("theme").setAttribute("aria-label", `Theme: ${theme}`);
  document.getElementById("theme").title = `Theme: ${theme}`;
  localStorage.setItem("theme", theme);
}
setTheme(localStorage.getItem("theme") || "auto");
document.getElementById("theme").addEventListener("click", () => {
  const now = localStorage.getItem("theme") || "auto";
  setTheme(THEMES[(THEMES.indexOf(now) + 1) % THEMES.length]);
});

// ── keys that work everywhere ──

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const target = event.composedPath()[0];
  if (target.closest?.("input, select, textarea, [contenteditable], dialog")) return;
  if (current?.key?.(event)) event.preventDefault();
});

// ── connection ──

const status = document.getElementById("status");
link.addEventListener("lost", () => {
  status.textContent = "not connected: start gamelore lab again";
  status.classList.add("lost");
});
link.addEventListener("connected", ({ detail }) => {
  status.textContent = "";
  status.classList.remove("lost");
  if (detail.again) open();
});
link.addEventListener("Failure", ({ detail }) => toast(detail.message));
window.addEventListener("hashchange", open);
window.addEventListener("unhandledrejection", (event) => {
  if (event.reason?.constructor?.name === "LabError") {
    toast(event.reason.message);
    event.preventDefault();
  }
});

replace(main, h("p", { class: "empty" }, "Opening the lab …"));
link.start().then(open, (error) => replace(main, h("p", { class: "empty" }, `The lab cannot be opened: ${error.message}`)));
