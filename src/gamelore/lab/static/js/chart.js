// Learning curves with their intervals, as a picture that grows while a run trains.

import { h, s, replace, short } from "./dom.js";

const [WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT] = [640, 300, 42, 30, 12, 14];

export class Chart {
  constructor(label) {
    this.picture = h("div", { class: "chart", role: "img", "aria-label": label });
    this.legend = h("div", { class: "legend" });
    this.element = h("div", { class: "stack" }, this.picture, this.legend);
    this.label = label;
  }

  /** `series`: {name, colour, dashed, points: [{x, y, low, high}]}, with y from 0 to 1. */
  show(series, limit) {
    const last = Math.max(1, limit || 0, ...series.flatMap((one) => one.points.map((point) => point.x)));
    const x = (value) => LEFT + (value / last) * (WIDTH - LEFT - RIGHT);
    const y = (value) => TOP + (1 - value) * (HEIGHT - TOP - BOTTOM);
    const ticks = [0, 0.25, 0.5, 0.75, 1];
    const shapes = [
      ticks.map((value) => [
        s("line", { class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y(value), y2: y(value) }),
        s("text", { x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, `${value * 100}%`)]),
      ticks.map((share) => s("text", { x: x(share * last), y: HEIGHT - 10, "text-anchor": share === 1 ? "end" : "middle" }, `${short(share * last)}${share === 1 ? " matches" : ""}`)),
    ];
    for (const one of series) {
      const { points } = one;
      if (!points.length) continue;
      const there = points.map((point) => `${x(point.x).toFixed(1)} ${y(point.high).toFixed(1)}`);
      const back = points.toReversed().map((point) => `${x(point.x).toFixed(1)} ${y(point.low).toFixed(1)}`);
      shapes.push(s("path", { class: `band s${one.colour}`, d: `M${[...there, ...back].join("L")}Z` }));
      shapes.push(s("path", { class: `curve s${one.colour}${one.dashed ? " dashed" : ""}`, d: `M${points.map((point) => `${x(point.x).toFixed(1)} ${y(point.y).toFixed(1)}`).join("L")}` }));
      for (const point of points)
        shapes.push(s("circle", { class: `point s${one.colour}`, cx: x(point.x), cy: y(point.y), r: 3 },
          s("title", {}, `${one.name} after ${point.x.toLocaleString("en")} matches: ${(100 * point.y).toFixed(0)}% [${(100 * point.low).toFixed(0)}, ${(100 * point.high).toFixed(0)}]`)));
    }
    replace(this.picture, s("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, "aria-hidden": "true" }, shapes));
    replace(this.legend, series.map((one) => {
      const final = one.points.at(-1);
      return h("span", {}, h("i", { class: `s${one.colour}${one.dashed ? " dashed" : ""}` }), `${one.name}${final ? `: ${(100 * final.y).toFixed(0)}%` : ""}`);
    }));
    const said = series.filter((one) => one.points.length).map((one) => `${one.name} ${(100 * one.points.at(-1).y).toFixed(0)} per cent`);
    this.picture.setAttribute("aria-label", `${this.label}: ${said.join(", ") || "nothing yet"}`);
  }
}

/** The curve of a run against one reference player. */
export function selectCurve(run, opponent) {
  return run.curve
    .filter((one) => one.opponent === opponent)
    .map((one) => ({ x: one.trained, y: one.score, low: one.low, high: one.high }));
}
