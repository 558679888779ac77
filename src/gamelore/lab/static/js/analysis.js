// What the search thinks: the bar, candidate moves, lines of play, the graph of a match.

import { h, s, replace, button, count, short } from "./dom.js";
import { link } from "./link.js";

const SECONDS = 6;

export class AnalysisPanel {
  constructor(page) {
    this.page = page;
    this.points = new Map();
    this.report = null;
    this.forget = null;
    this.lines = 5;
    this.head = h("p", { class: "faint search-head", "aria-live": "off" });
    this.rows = h("tbody");
    this.value = h("p", { class: "verdict" });
    this.graph = h("div", { class: "graph gl-board", "data-theme": "auto", role: "slider", tabindex: "0", "aria-label": "Evaluation of the whole match", "aria-valuemin": 0, "aria-valuenow": 0 });
    this.graph.addEventListener("keydown", (event) => this.onGraphKey(event));
    this.graphBox = h("div", { class: "graph-box" }, this.graph);
    this.reviewButton = button("Review the match", () => this.review(), { class: "quiet small" });
    this.howMany = h("select", { "aria-label": "How many lines", onchange: () => { this.lines = Number(this.howMany.value); this.search(SECONDS); } },
      [3, 5, 10].map((number) => h("option", { value: number }, `${number} lines`)));
    this.howMany.value = "5";
    this.element = h("section", { class: "panel analysis", hidden: true, "aria-label": "Analysis" },
      h("div", { class: "panel-head" }, h("h2", {}, "Analysis"),
        h("span", { class: "tools" },
          this.howMany,
          button("Deeper", () => this.search(60), { class: "quiet small", title: "Search for a minute more" }),
          (this.stopButton = button("Stop", () => this.stop(), { class: "quiet small" })))),
      this.value, this.head,
      h("div", { class: "candidate-scroll", tabindex: "0", role: "group", "aria-label": "Candidate moves" },
        h("table", { class: "candidates" },
          h("thead", {}, h("tr", {}, ["Move", "Value", "Visits", "Then"].map((one) => h("th", { scope: "col" }, one)))),
          this.rows)),
      this.graphBox,
      h("div", { class: "row" }, this.reviewButton));
  }

  close() {
    this.stop();
    this.stopReview();
  }

  /** Search what the page shows, if somebody looks. */
  refresh() {
    const { page } = this;
    this.element.hidden = !page.analysing;
    page.bar.hidden = !page.analysing;
    page.toggle.setAttribute("aria-pressed", String(page.analysing));
    this.drawGraph();
    if (document.hidden && this.reviewing) {
      this.stopReview();
      this.reviewLater = true;
    } else if (!document.hidden && this.reviewLater) this.review();
    if (!page.analysing || document.hidden || !page.view) {
      this.stop();
      this.shown = null;
      return;
    }
    const key = JSON.stringify([page.game, page.line.slice(0, page.cursor)]);
    if (key !== this.shown) {
      this.shown = key;
      this.search(SECONDS);
    } else if (this.report) this.render();
  }

  search(seconds) {
    const { page } = this;
    this.stop();
    this.report = null;
    replace(this.rows);
    this.page.board.showCandidates([]);
    this.head.textContent = "";
    if (page.view.terminal) {
      this.value.textContent = "The match is over.";
      const [first] = Object.values(page.view.goals);
      this.setBar(first ?? null, null);
      return;
    }
    this.value.textContent = "Searching …";
    const moves = page.line.slice(0, page.cursor);
    this.forget = link.stream(
      "Analyse",
      { place: { game: page.game, moves }, seconds, lines: this.lines },
      (report) => {
        this.report = report;
        this.render();
      },
      (error) => {
        this.value.textContent = error.message;
        this.setBar(null, null);
      },
    );
    this.running = true;
  }

  stop() {
    this.forget?.();
    this.forget = null;
    if (this.running && link.connected) link.post("StopAnalysis", {});
    this.running = false;
    if (this.report && !this.report.over) {
      this.report.over = true;
      this.render();
    }
  }

  render() {
    const { report, page } = this;
    const state = report.solved ? "solved" : report.over ? "stopped" : "searching …";
    this.stopButton.disabled = report.over;
    if (report.over) this.running = false;
    this.head.textContent = `${count(report.playouts)} playouts, ${report.seconds.toFixed(1)} s, ${state}`;
    const value = report.value;
    this.value.textContent = report.solved
      ? `${report.role} gets ${value.toFixed(0)} if everybody plays well.`
      : `${report.role} gets about ${value.toFixed(0)} of 100${report.mixed ? ", choosing at random by the shares" : ""}.`;
    this.setBar(report.first, report);
    const active = document.activeElement;
    const keep = this.rows.contains(active) ? [active.dataset.row, active.dataset.ply] : null;
    const seen = report.candidates.filter((one, i) => i === 0 || one.visits || one.proven);
    replace(this.rows, seen.slice(0, this.lines).map((one, rank) => this.row(one, rank)));
    if (keep) this.rows.querySelector(`[data-row="${keep[0]}"][data-ply="${keep[1]}"]`)?.focus();
    page.board.showCandidates(report.candidates, this.lines);
  }

  row(one, rank) {
    const { page } = this;
    const step = page.cursor;
    const playTo = (ply) => page.cursor === step && page.extend(one.line.slice(0, ply + 1).map((joint, i) => [joint, one.labels[i]]));
    const showTo = () => {
      page.board.layer("candidates", []);
      page.board.showLine(firstSpots(one));
    };
    const hide = () => {
      page.board.showLine([]);
      page.board.showCandidates(this.report?.candidates || [], this.lines);
    };
    const plyButton = (label, ply) =>
      button(label, () => playTo(ply), { class: ply ? "pv" : "pv first", "data-row": rank, "data-ply": ply, onfocus: showTo, onblur: hide });
    return h("tr", { class: `rank-${Math.min(rank, 3)}`, onmouseenter: showTo, onmouseleave: hide },
      h("td", {}, h("span", { class: "rank-dot" }), one.line.length ? plyButton(one.label, 0) : one.label),
      h("td", { class: "number" }, one.proven ? h("b", { title: "proven" }, one.value.toFixed(0)) : h("span", { title: `${one.low.toFixed(0)} to ${one.high.toFixed(0)}` }, one.value.toFixed(1))),
      h("td", { class: "number" }, short(one.visits)),
      h("td", { class: "then" }, one.labels.slice(1, 7).map((label, i) => plyButton(label, i + 1))));
  }

  setBar(first, report) {
    const { bar } = this.page;
    const [fill, text] = bar.children;
    const roles = this.page.view.roles.filter((role) => role !== "random");
    const known = first !== null && first !== undefined;
    const share = known ? first : report ? report.value : 50;
    const colours = this.page.view.colours || {};
    bar.style.setProperty("--mine", `var(--gl-${colours[roles[0]] || "white"})`);
    bar.style.setProperty("--theirs", `var(--gl-${colours[roles[1]] || "black"})`);
    fill.style.setProperty("--share", `${Math.max(0, Math.min(100, share))}%`);
    text.textContent = known || report ? share.toFixed(0) : "";
    bar.setAttribute("aria-valuenow", share.toFixed(0));
    bar.setAttribute("aria-valuetext", known ? `${roles[0]} gets ${share.toFixed(0)} of 100` : report ? `${report.role} gets ${share.toFixed(0)} of 100` : "unknown");
    bar.title = bar.getAttribute("aria-valuetext");
  }

  // ── the whole match ──

  review() {
    const { page } = this;
    this.reviewLater = document.hidden;
    if (this.reviewLater) return;
    this.forgetReview?.();
    this.points = new Map();
    this.reviewing = true;
    this.reviewButton.disabled = true;
    this.reviewButton.textContent = "Reviewing …";
    const end = () => {
      this.reviewing = false;
      this.reviewButton.disabled = false;
      this.reviewButton.textContent = "Review again, deeper";
      this.deeper = true;
      page.renderMoves();
      this.drawGraph();
    };
    this.forgetReview = link.stream(
      "Review",
      { place: { game: page.game, moves: page.line }, playouts: this.deeper ? 20000 : 2000 },
      (event) => {
        if (event.type === "ReviewEnd") {
          this.forgetReview?.();
          end();
        } else {
          this.points.set(event.step, event);
          this.drawGraph();
        }
      },
      end,
    );
  }

  /** Nobody looks: the server searches no further positions. */
  stopReview() {
    this.forgetReview?.();
    this.forgetReview = null;
    if (this.reviewing && link.connected) link.post("StopReview", {});
    this.reviewing = false;
  }

  drawGraph() {
    const { page } = this;
    const steps = Math.max(1, page.line.length);
    const points = [...this.points.values()].filter((one) => one.first !== null && one.first !== undefined && one.step <= steps).sort((a, b) => a.step - b.step);
    this.graphBox.hidden = points.length < 2;
    if (points.length < 2) return;
    const [width, height] = [Math.max(200, this.graph.clientWidth || 320), 96];
    const x = (step) => 6 + (step / steps) * (width - 12);
    const y = (value) => 6 + (1 - value / 100) * (height - 12);
    const path = points.map((one, i) => `${i ? "L" : "M"}${x(one.step).toFixed(1)} ${y(one.first).toFixed(1)}`).join("");
    const picture = s("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" },
      s("line", { class: "axis", x1: 6, x2: width - 6, y1: y(50), y2: y(50) }),
      s("path", { class: "area", d: `${path}L${x(points.at(-1).step)} ${height}L${x(points[0].step)} ${height}Z` }),
      s("path", { class: "curve", d: path }),
      s("line", { class: "now", x1: x(page.cursor), x2: x(page.cursor), y1: 2, y2: height - 2 }),
      points.filter((one) => one.mistake).map((one) => s("circle", { class: `flaw ${one.mistake}`, cx: x(one.step), cy: y(one.first), r: 4.5 })));
    picture.addEventListener("click", (event) => {
      const box = picture.getBoundingClientRect();
      const share = ((event.clientX - box.left) / box.width * width - 6) / (width - 12);
      page.go(Math.round(share * steps));
    });
    const roles = page.view.roles.filter((role) => role !== "random");
    this.graph.style.setProperty("--mine", `var(--gl-${page.view.colours?.[roles[0]] || "white"})`);
    this.graph.style.setProperty("--theirs", `var(--gl-${page.view.colours?.[roles[1]] || "black"})`);
    replace(this.graph, picture);
    this.graph.setAttribute("aria-valuemax", String(steps));
    this.graph.setAttribute("aria-valuenow", String(page.cursor));
    const here = this.points.get(page.cursor);
    this.graph.setAttribute("aria-valuetext", here ? `move ${page.cursor}: ${here.first?.toFixed(0)}` : `move ${page.cursor}`);
  }

  onGraphKey(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowDown: -1, ArrowUp: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    this.page.go(this.page.cursor + step);
  }
}

/** The cells of a line of play with the numbers of its moves; the first move to a cell. */
function firstSpots(one) {
  const seen = new Map();
  one.spots.forEach((cell, i) => {
    if (cell && !seen.has(cell)) seen.set(cell, String(i + 1));
  });
  return [...seen];
}
