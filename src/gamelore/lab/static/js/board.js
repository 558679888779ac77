// A board: shows a picture, and turns clicks and keys on its cells into moves.

import { h, s, readPicture, replace } from "./dom.js";

export class BoardView {
  /** `play(role, choice)` is called when a move was made on the board. */
  constructor(play) {
    this.play = play;
    this.moves = [];
    this.selected = [];
    this.box = h("div", { class: "board" });
    this.menu = h("div", { class: "choices", hidden: true, role: "group", "aria-label": "Which move" });
    this.list = h("div", { class: "other-moves" });
    this.element = h("div", { class: "board-area" }, this.box, this.menu, this.list);
    this.layers = {};
    this.box.addEventListener("click", (event) => this.onClick(event));
    this.box.addEventListener("keydown", (event) => this.onKey(event));
  }

  /** Show a position; `roles` are those who may move here by hand. */
  show(view, roles = []) {
    const focused = this.box.contains(document.activeElement)
      ? document.activeElement.closest("[data-cell]")?.dataset.cell
      : null;
    this.svg = readPicture(view.svg);
    this.svg.removeAttribute("width");
    this.svg.removeAttribute("height");
    const [, , width, height] = (this.svg.getAttribute("viewBox") || "0 0 1 1").split(" ").map(Number);
    this.element.style.setProperty("--ratio", String(width / height));
    this.cells = new Map();
    for (const node of this.svg.querySelectorAll("[data-cell]")) this.cells.set(node.dataset.cell, node);
    this.layers = {};
    this.role = roles.find((role) => view.legal[role]?.length) ?? null;
    this.moves = this.role === null ? [] : view.legal[this.role];
    this.selected = [];
    this.svg.setAttribute("role", this.moves.length ? "group" : "img");
    this.svg.setAttribute("aria-label", `board of ${view.label}`);
    this.svg.querySelector(":scope > title")?.remove();
    for (const node of this.cells.values())
      node.querySelector(":scope > title")?.replaceWith();
    replace(this.box, this.svg);
    this.mark();
    this.showList();
    this.menu.hidden = true;
    this.focusAgain(focused);
  }

  /** After a move by keys, be on the board again as soon as there is a cell to be on. */
  focusAgain(cell) {
    if (cell) this.focusOn = cell;
    const elsewhere = document.activeElement && document.activeElement !== document.body;
    if (!this.focusOn || (elsewhere && !this.box.contains(document.activeElement))) {
      this.focusOn = null;
      return;
    }
    const same = this.cells.get(this.focusOn);
    const next = same?.hasAttribute("tabindex") ? same : this.box.querySelector('[tabindex="0"]');
    if (!next) return;
    this.box.querySelector('[tabindex="0"]')?.setAttribute("tabindex", "-1");
    next.setAttribute("tabindex", "0");
    next.focus();
  }

  // ── choosing a move ──

  starting() {
    const begun = this.selected;
    return this.moves.filter((move) => begun.every((cell, i) => move.cells[i] === cell));
  }

  onClick(event) {
    const cell = event.target.closest("[data-cell]");
    if (cell && this.moves.length) this.pick(cell.dataset.cell);
  }

  pick(cell) {
    const at = this.selected.length;
    if (at && this.selected[at - 1] === cell) {
      this.selected = [];
      this.mark();
      return;
    }
    let possible = this.starting().filter((move) => move.cells[at] === cell);
    if (!possible.length) {
      const within = this.starting().filter((move) => move.cells.includes(cell));
      if (within.length === 1 || (within.length && at)) possible = within;
      else if (at) {
        this.selected = [];
        this.pick(cell);
        return;
      } else if (within.length > 1) {
        this.choose(within);
        return;
      } else return;
      if (possible.length === 1) return this.make(possible[0]);
    }
    const complete = possible.filter((move) => move.cells.length === at + 1);
    if (possible.length === 1 && (complete.length || possible[0].cells.length > 2))
      return this.make(possible[0]);
    if (complete.length === possible.length) return this.choose(complete);
    this.selected = [...this.selected, cell];
    this.mark();
  }

  /** Several moves are about the same cells: let people say which. */
  choose(moves) {
    replace(
      this.menu,
      moves.map((move) => h("button", { type: "button", onclick: () => this.make(move) }, move.label)),
    );
    this.menu.hidden = false;
    this.menu.firstElementChild.focus();
  }

  make(move) {
    const role = this.role;
    this.moves = [];
    this.selected = [];
    this.menu.hidden = true;
    this.mark();
    this.play(role, move);
  }

  showList() {
    const others = this.moves.filter((move) => !move.cells.some((cell) => this.cells.has(cell)));
    if (!others.length) return replace(this.list);
    const shown = others.slice(0, 200);
    replace(
      this.list,
      h("span", { class: "faint" }, this.moves.length === others.length ? "Moves: " : "Other moves: "),
      shown.map((move) =>
        h("button", { type: "button", class: "chip", onclick: () => this.make(move) }, move.label),
      ),
      others.length > shown.length ? h("span", { class: "faint" }, ` and ${others.length - shown.length} more`) : null,
    );
  }

  // ── marks ──

  mark() {
    const at = this.selected.length;
    const possible = this.starting();
    const next = new Map();
    for (const move of possible) {
      const cells = move.cells.length > 2 && !at ? move.cells : [move.cells[at]];
      for (const cell of cells) if (cell && !next.has(cell)) next.set(cell, move);
    }
    let first = true;
    for (const [name, node] of this.cells) {
      const live = next.has(name) || this.selected.includes(name);
      node.classList.toggle("live", live);
      node.classList.toggle("target", at > 0 && next.has(name));
      node.classList.toggle("chosen", this.selected.includes(name));
      if (live) {
        node.setAttribute("role", "button");
        node.setAttribute("tabindex", first ? "0" : "-1");
        node.setAttribute("aria-label", this.describeCell(name, next.get(name)));
        first = false;
      } else
        for (const each of ["role", "tabindex", "aria-label"]) node.removeAttribute(each);
    }
    this.layer(
      "targets",
      at ? [...next.keys()].map((cell) => this.dot(cell, "target-dot", 6)) : [],
    );
  }

  describeCell(cell, move) {
    if (this.selected.includes(cell)) return `${cell}, chosen`;
    return move ? `cell ${cell}: ${move.label}` : `cell ${cell}`;
  }

  findSpot(cell) {
    const node = this.cells.get(cell);
    const matrix = node?.transform?.baseVal?.consolidate()?.matrix;
    return matrix ? [matrix.e, matrix.f] : null;
  }

  dot(cell, kind, radius) {
    const spot = this.findSpot(cell);
    return spot ? s("circle", { class: kind, cx: spot[0], cy: spot[1], r: radius }) : null;
  }

  /** Put shapes over the board, in place of those of the same name. */
  layer(name, shapes) {
    this.layers[name]?.remove();
    const home = this.svg?.querySelector(".cells")?.parentNode;
    if (!home || !shapes.length) return;
    this.layers[name] = s("g", { class: `layer ${name}`, "aria-hidden": "true" }, shapes);
    home.append(this.layers[name]);
  }

  /** Candidates of a search: a disc each, with value and visits. */
  showCandidates(candidates, most = 6) {
    const shapes = [];
    const taken = new Set();
    const least = Math.max(1, (candidates[0]?.visits || 0) * 0.01);
    candidates.slice(0, most).forEach((one, rank) => {
      if (rank && one.visits < least && !one.proven) return;
      const spot = this.findSpot(one.spot);
      if (!spot || taken.has(one.spot)) return;
      taken.add(one.spot);
      const from = one.cells.length === 2 ? this.findSpot(one.cells[0]) : null;
      if (from) shapes.push(s("line", { class: `ray rank-${Math.min(rank, 3)}`, x1: from[0], y1: from[1], x2: spot[0], y2: spot[1] }));
      shapes.push(
        s("g", { class: `candidate rank-${Math.min(rank, 3)}`, transform: `translate(${spot[0]} ${spot[1]})` },
          s("circle", { r: 16 }),
          s("text", { class: "value", y: -3 }, one.value.toFixed(0)),
          s("text", { class: "visits", y: 8 }, one.proven ? "proven" : shortVisits(one.visits))),
      );
    });
    this.layer("candidates", shapes);
  }

  /** A line of play: numbers on the cells it goes through. */
  showLine(spots) {
    this.layer(
      "line",
      spots.map(([cell, label]) => {
        const spot = this.findSpot(cell);
        return spot
          ? s("g", { class: "ply", transform: `translate(${spot[0]} ${spot[1]})` }, s("circle", { r: 11 }), s("text", {}, label))
          : null;
      }),
    );
  }

  showHint(hint) {
    const shapes = [];
    for (const cell of hint.cells.length === 2 ? hint.cells : [hint.spot]) {
      shapes.push(this.dot(cell, "hint-ring", 17));
    }
    this.layer("hint", shapes.filter(Boolean));
  }

  // ── keys ──

  onKey(event) {
    const cell = event.target.closest?.("[data-cell]");
    if (!cell) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      event.stopPropagation();
      this.focusOn = cell.dataset.cell;
      this.pick(cell.dataset.cell);
      if (this.moves.length && this.menu.hidden) this.focusAgain(cell.dataset.cell);
    } else if (event.key === "Escape" && this.selected.length) {
      this.selected = [];
      this.mark();
    } else if (event.key.startsWith("Arrow")) {
      event.preventDefault();
      event.stopPropagation();
      this.moveFocus(cell, event.key.slice(5));
    }
  }

  /** Go to the nearest live cell in a direction. */
  moveFocus(from, way) {
    const here = this.findSpot(from.dataset.cell);
    const [dx, dy] = { Left: [-1, 0], Right: [1, 0], Up: [0, -1], Down: [0, 1] }[way];
    let best = null;
    let least = Infinity;
    for (const [name, node] of this.cells) {
      if (node === from || !node.classList.contains("live")) continue;
      const spot = this.findSpot(name);
      const [x, y] = [spot[0] - here[0], spot[1] - here[1]];
      const along = x * dx + y * dy;
      const aside = Math.abs(x * dy) + Math.abs(y * dx);
      if (along < 1) continue;
      const cost = along + 3 * aside;
      if (cost < least) [best, least] = [node, cost];
    }
    if (!best) return;
    for (const node of this.cells.values())
      if (node.getAttribute("tabindex") === "0") node.setAttribute("tabindex", "-1");
    best.setAttribute("tabindex", "0");
    best.focus();
  }
}

function shortVisits(number) {
  if (number < 1000) return String(number);
  return number < 1e6 ? `${(number / 1000).toFixed(number < 1e4 ? 1 : 0)}k` : `${(number / 1e6).toFixed(1)}M`;
}

/** A small piece in the colour that a role has on the board. */
export function swatch(colour) {
  return s("svg", { class: "gl-board swatch", "data-theme": "auto", viewBox: "-8 -8 16 16", "aria-hidden": "true" },
    s("g", { class: `c-${colour || "plain"}` }, s("circle", { class: "body", r: 6.5 })));
}
