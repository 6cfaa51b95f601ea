// Draws the lineage: x is time, each partition a line, its parents' lines flow into it.
import { assign, byId, follow, shape, write } from "./dom.js";
import { plural, seconds, shortToken, time, words } from "./format.js";
import { layout, ticks } from "./lineage.js";

const LANE = 22;
const TOP = 16;
const AXIS = 26;
const LEFT = 10;
const RIGHT = 34;
const BEND = 14;

const svg = byId("graph");
const layers = Object.fromEntries(["axis", "edges", "bars"].map((name) => [name, svg.appendChild(shape("g", { class: name }))]));
const remembered = new Map();

export function drawGraph(model, owners, window) {
  const placed = layout(model.partitions, remembered, window, model.now);
  const width = Math.max(240, byId("graph-frame").clientWidth);
  const height = TOP + placed.height * LANE + AXIS;
  assign(svg, { viewBox: `0 0 ${width} ${height}`, width, height, "aria-label": summary(model) });
  const scale = (at) => LEFT + ((at - placed.first) / Math.max(1, placed.now - placed.first)) * (width - LEFT - RIGHT);
  drawAxis(placed, scale, width, height);
  follow(layers.edges, placed.edges, (edge) => edge.parent.partition.token + "\n" + edge.child.partition.token,
    () => shape("path", { class: "edge" }), (path, edge) => drawEdge(path, edge, scale));
  follow(layers.bars, [...placed.bars.values()], (bar) => bar.partition.token, makeBar,
    (group, bar) => drawBar(group, bar, scale, owners));
}

function summary(model) {
  const { running, waiting, finished, splits, merges } = model.totals;
  return `Lineage of ${plural(model.partitions.length, "partition")}: ${running} running, ${waiting} waiting, `
    + `${finished} finished; ${plural(splits, "split")}, ${plural(merges, "merge")}. The table below has the same content.`;
}

function drawAxis(placed, scale, width, height) {
  const moments = ticks(placed.first, placed.now, Math.max(2, Math.floor(width / 130)));
  follow(layers.axis, moments, String, makeTick, (group, at) => {
    const x = scale(at);
    assign(group.children[0], { x1: x, x2: x, y1: 4, y2: height - AXIS + 6 });
    assign(group.children[1], { x: Math.max(LEFT + 24, x), y: height - 7 });
    write(group.children[1], time(new Date(at)));
  });
}

function makeTick() {
  const group = shape("g");
  group.append(shape("line"), shape("text", { "text-anchor": "middle" }));
  return group;
}

const middle = (bar) => TOP + bar.lane * LANE + LANE / 2;

function drawEdge(path, { parent, child }, scale) {
  const [x, y, toX, toY] = [scale(parent.to), middle(parent), scale(child.from), middle(child)];
  const start = Math.min(x, toX);
  assign(path, {
    "data-parent": parent.partition.token,
    "data-child": child.partition.token,
    class: child.partition.continues.length > 1 ? "edge merge" : "edge",
    d: `M${start} ${y} C${start + BEND} ${y} ${toX} ${toY} ${toX + BEND} ${toY}`,
  });
}

function makeBar() {
  const group = shape("g");
  group.append(shape("title"), shape("path", { class: "wait" }), shape("path", { class: "pale" }),
    shape("path", { class: "full" }), shape("circle", { class: "pulse", r: 8 }), shape("circle", { class: "mark", r: 8 }),
    shape("text", { "text-anchor": "middle", class: "letter" }));
  return group;
}

function drawBar(group, bar, scale, owners) {
  const { partition } = bar;
  const [title, wait, pale, full, pulse, mark, letter] = group.children;
  const y = middle(bar);
  const line = (from, to) => (to > from ? `M${scale(from)} ${y} H${scale(to)}` : "");
  const owner = owners.of(partition.owner);
  assign(group, { class: `bar ${owner.style}`, "data-token": partition.token, "data-state": partition.state });
  write(title, told(partition));
  assign(wait, { d: line(bar.from, bar.runs) });
  assign(full, { d: line(bar.runs, bar.settled) });
  assign(pale, { d: line(bar.settled, bar.to) });
  const live = partition.finished === null;
  for (const end of [pulse, mark]) {
    assign(end, { cx: scale(bar.to), cy: y, visibility: live ? "visible" : "hidden" });
  }
  assign(letter, { x: scale(bar.to), y: y + 3.5, visibility: live ? "visible" : "hidden" });
  write(letter, live ? owner.letter : "");
}

function told(partition) {
  const lag = partition.finished === null ? `, behind by ${seconds(partition.lag)}` : "";
  const from = partition.continues.map(shortToken).join(" + ");
  return `${shortToken(partition.token)}: ${words(partition.state)}${lag}${from ? `, continues ${from}` : ""}`;
}
