// Draws the lag of the slowest partitions over the last minutes, one line each, and the range of the others as a band.
import { assign, byId, element, follow, shape, write } from "./dom.js";
import { plural, seconds, shortToken, time } from "./format.js";
import { ticks } from "./lineage.js";
import { poll } from "./poll.js";

const HEIGHT = 240;
const TOP = 12;
const AXIS = 26;
const LEFT = 84;
const RIGHT = 40;
const MARK = 17; // minimum distance of two marks
const PERIOD = 2000;
const STEPS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 28800, 43200, 86400, 172800, 604800];

let svg = null;
let layers = null;
let known = null;
let pointed = null; // the index of the time that is pointed at
let chosen = null; // the token that is pointed at in the list

/** @param path of the history */
export function startLag(path) {
  const frame = byId("lag-frame");
  svg = byId("lag-graph");
  layers = Object.fromEntries(["axis", "band", "lines", "pointer", "marks"]
    .map((name) => [name, svg.appendChild(shape("g", { class: `lag-${name}` }))]));
  layers.band.append(shape("path"));
  layers.pointer.append(shape("line"));
  byId("lag-section").hidden = false;
  let near = true;
  const asking = poll(path, (answer) => {
    known = answer;
    draw();
  }, () => {}, { period: PERIOD, wanted: () => near });
  new IntersectionObserver((entries) => {
    near = entries.at(-1).isIntersecting;
    near && asking.now();
  }, { rootMargin: "300px" }).observe(byId("lag-section"));
  new ResizeObserver(draw).observe(frame);
  frame.addEventListener("pointermove", (event) => point(indexAt(event.clientX - frame.getBoundingClientRect().left)));
  frame.addEventListener("pointerleave", () => point(null));
  frame.addEventListener("blur", () => point(null));
  frame.addEventListener("keydown", walk);
}

function walk(event) {
  const last = (known?.times.length ?? 0) - 1;
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (step && last >= 0) {
    event.preventDefault();
    point(Math.min(last, Math.max(0, (pointed ?? last) + step)));
  } else if (event.key === "Escape") {
    point(null);
  }
}

function point(index) {
  if (index !== pointed) {
    pointed = index;
    draw();
  }
}

const width = () => Math.max(240, byId("lag-frame").clientWidth);

function scale(first, last) {
  const inner = width() - LEFT - RIGHT;
  return (at) => LEFT + (last > first ? (at - first) / (last - first) : 1) * inner;
}

function indexAt(x) {
  if (!known?.times.length) {
    return null;
  }
  const times = known.times.map((at) => new Date(at).getTime());
  const at = scale(times[0], times.at(-1));
  const found = times.map((one) => Math.abs(at(one) - x));
  return found.indexOf(Math.min(...found));
}

function draw() {
  if (!known) {
    return;
  }
  const any = known.partitions.length > 0 || known.others > 0;
  byId("lag-none").hidden = any;
  byId("lag-frame").hidden = !any;
  byId("lag-list").hidden = !any;
  if (!any) {
    write(byId("lag-slowest"), "");
    return;
  }
  pointed = pointed === null ? null : Math.min(pointed, known.times.length - 1);
  const values = [...known.partitions.flatMap((one) => one.lag), ...(known.others_most ?? [])].filter((value) => value !== null);
  const step = STEPS.find((candidate) => Math.max(0.2, ...values) / candidate <= 4) ?? 2592000;
  const top = step * Math.max(1, Math.ceil(Math.max(0.2, ...values) / step));
  const times = known.times.map((at) => new Date(at).getTime());
  const x = scale(times[0], times.at(-1));
  const y = (lag) => HEIGHT - AXIS - (lag / top) * (HEIGHT - AXIS - TOP);
  assign(svg, { viewBox: `0 0 ${width()} ${HEIGHT}`, width: width(), height: HEIGHT, "aria-label": summary() });
  drawAxis(times, x, y, step, top);
  assign(layers.band.firstChild, { d: band(times, x, y) });
  drawLines(times, x, y);
  drawPointer(times, x);
  drawList();
}

function summary() {
  const slowest = known.partitions[0];
  return slowest
    ? `Lag of the ${plural(known.partitions.length, "slowest partition")}; the slowest is ${shortToken(slowest.token)}, ${seconds(latest(slowest.lag))} behind. The list below has the values.`
    : "No partition is read.";
}

function drawAxis(times, x, y, step, top) {
  const lags = [];
  for (let lag = 0; lag <= top + step / 2; lag += step) {
    lags.push({ key: `y${lag}`, x1: LEFT, x2: width() - RIGHT, y1: y(lag), y2: y(lag), tx: LEFT - 8, ty: y(lag) + 4, anchor: "end", text: lag ? seconds(lag) : "0" });
  }
  const moments = ticks(times[0], times.at(-1), Math.max(2, Math.floor(width() / 150)))
    .filter((at) => x(at) < width() - RIGHT - 20 || times.length === 1)
    .map((at) => ({ key: `x${at}`, x1: x(at), x2: x(at), y1: TOP, y2: HEIGHT - AXIS, tx: Math.max(LEFT, x(at)), ty: HEIGHT - 8, anchor: "middle", text: time(new Date(at)) }));
  follow(layers.axis, [...lags, ...moments], (tick) => tick.key, () => {
    const group = shape("g");
    group.append(shape("line"), shape("text"));
    return group;
  }, (group, tick) => {
    assign(group.children[0], { x1: tick.x1, x2: tick.x2, y1: tick.y1, y2: tick.y2 });
    assign(group.children[1], { x: tick.tx, y: tick.ty, "text-anchor": tick.anchor });
    write(group.children[1], tick.text);
  });
}

/** The area between the lowest and the highest lag of the other partitions; a new one after each gap. */
function band(times, x, y) {
  const areas = [];
  let run = [];
  const close = () => {
    if (run.length) {
      const upper = run.map(([at, most]) => `${at} ${y(most)}`);
      const lower = run.map(([at, , least]) => `${at} ${y(least)}`).reverse();
      areas.push(`M${[...upper, ...lower].join(" L")} Z`);
    }
    run = [];
  };
  times.forEach((at, index) => {
    const most = known.others_most?.[index] ?? null;
    most === null ? close() : run.push([x(at), most, known.others_least[index]]);
  });
  close();
  return areas.join(" ");
}

function line(times, lags, x, y) {
  let drawn = "";
  let open = false;
  lags.forEach((lag, index) => {
    if (lag !== null) {
      drawn += `${open ? "L" : "M"}${x(times[index]).toFixed(1)} ${y(lag).toFixed(1)}${open ? "" : "h0.1"}`;
    }
    open = lag !== null;
  });
  return drawn;
}

const latest = (lags) => lags.findLast((lag) => lag !== null) ?? null;

function drawLines(times, x, y) {
  const named = known.partitions.map((one, place) => ({ ...one, place }));
  follow(layers.lines, named.toReversed(), (one) => one.token, () => shape("path"), (path, one) => {
    assign(path, { d: line(times, one.lag, x, y), class: style(one), "data-token": one.token });
  });
  follow(layers.marks, spread(named, y), (one) => one.token, () => {
    const group = shape("g");
    group.append(shape("circle", { r: 8 }), shape("text", { "text-anchor": "middle" }));
    return group;
  }, (group, one) => {
    assign(group, { class: style(one) });
    assign(group.children[0], { cx: width() - RIGHT + 18, cy: one.y });
    assign(group.children[1], { x: width() - RIGHT + 18, y: one.y + 3.5 });
    write(group.children[1], String(one.place + 1));
  });
}

const style = (one) => `series series-${one.place}${chosen === null ? "" : one.token === chosen ? " chosen" : " faded"}`;

/** The marks at the ends of the lines, moved apart where they would overlap. */
function spread(named, y) {
  const marks = named.map((one) => ({ ...one, y: y(latest(one.lag) ?? 0) })).sort((one, other) => other.y - one.y);
  let lowest = HEIGHT - AXIS;
  for (const mark of marks) {
    mark.y = Math.min(mark.y, lowest);
    lowest = mark.y - MARK;
  }
  let highest = TOP;
  for (const mark of marks.toReversed()) {
    mark.y = Math.max(mark.y, highest);
    highest = mark.y + MARK;
  }
  return marks;
}

function drawPointer(times, x) {
  const at = pointed === null ? null : x(times[pointed]);
  assign(layers.pointer.firstChild, { x1: at ?? 0, x2: at ?? 0, y1: TOP, y2: HEIGHT - AXIS, visibility: at === null ? "hidden" : "visible" });
}

function drawList() {
  const slowest = known.partitions[0];
  write(byId("lag-slowest"), slowest ? `Slowest: ${shortToken(slowest.token)}, ${seconds(latest(slowest.lag))} behind.` : "");
  write(byId("lag-at"), pointed === null ? "now" : `at ${time(known.times[pointed])}`);
  const items = known.partitions.map((one, place) => ({ ...one, place }));
  follow(byId("lag-list"), items, (one) => one.token, makeItem, (item, one) => {
    const [mark, name, value] = item.firstChild.children;
    assign(item, { class: style(one) });
    assign(item.firstChild, { "aria-pressed": chosen === one.token, title: one.token });
    write(mark, String(one.place + 1));
    write(name, one.token === "Parent0" ? "initial query" : shortToken(one.token));
    const lag = pointed === null ? latest(one.lag) : one.lag[pointed];
    const most = Math.max(...one.lag.filter((known) => known !== null));
    write(value, `${lag === null ? "not read" : seconds(lag)}, at most ${seconds(most)}`);
  });
  write(byId("lag-others"), others());
}

function others() {
  const range = pointed === null
    ? [latest(known.others_least ?? []), latest(known.others_most ?? [])]
    : [known.others_least?.[pointed] ?? null, known.others_most?.[pointed] ?? null];
  const told = known.others ? `${plural(known.others, "other partition")} of these minutes as a band` : "";
  const values = known.others && range[1] !== null ? `: ${seconds(range[0])} to ${seconds(range[1])}` : "";
  const lost = known.not_kept ? ` ${plural(known.not_kept, "more partition")} without a history.` : "";
  return told ? `${told}${values}.${lost}` : lost;
}

function makeItem() {
  const item = element("li");
  const choice = element("button", { type: "button" }, element("span", { class: "letter" }), element("span", { class: "name" }), element("span", { class: "note" }));
  item.append(choice);
  const choose = (on) => {
    chosen = on ? item.followKey : null;
    draw();
  };
  choice.addEventListener("pointerenter", () => choose(true));
  choice.addEventListener("pointerleave", () => choose(document.activeElement === choice));
  choice.addEventListener("focus", () => choose(true));
  choice.addEventListener("blur", () => choose(false));
  return item;
}
