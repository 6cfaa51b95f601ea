// The gauges, workers and counts of a subscription.
import { assign, byId, element, follow, write } from "./dom.js";
import { count, plural, rate, seconds, shortWorker, steady, time, words } from "./format.js";

const BEHIND = 10; // seconds of lag
const FAR_BEHIND = 300;
const SHRINKING = 0.5; // of the retention
const DANGER = 0.2;
const OUTCOMES = ["consumed", "skipped", "dead_lettered", "retries", "failures", "timeouts", "lease_lost",
  "duplicates_dropped", "gaps_accepted", "storage_retries", "acquired", "released", "finished"];
const BAD = new Set(["skipped", "dead_lettered", "failures", "timeouts", "lease_lost", "gaps_accepted", "storage_retries"]);
const NAMES = { acquired: "partitions acquired", released: "partitions released", finished: "partitions finished",
  lease_lost: "leases lost" };

export function drawNames({ answer }) {
  write(byId("stream"), answer.stream ?? "a change stream");
  write(byId("subscription"), answer.subscription ?? "–");
  write(byId("worker"), shortWorker(answer.worker ?? "–"));
  assign(byId("worker"), { title: answer.worker });
  const end = answer.end && !answer.end.startsWith("9999") ? ` until ${time(answer.end)}` : ", without an end";
  write(byId("bounds"), answer.start ? `from ${time(answer.start)}${end}` : "–");
}

export function drawGauges(model) {
  drawLag(model);
  drawRate(model.answer);
  drawRetention(model.answer);
  const { running, waiting, finished, splits, merges, inflight } = model.totals;
  write(byId("running"), count(running));
  write(byId("partition-counts"), `running; ${count(waiting)} waiting, ${count(finished)} finished`);
  write(byId("churn"), `${plural(splits, "split")}, ${plural(merges, "merge")} in view; ${count(inflight)} in flight here`);
}

export const lagLevel = (lag) => (lag === null ? "unknown" : lag < BEHIND ? "good" : lag < FAR_BEHIND ? "watch" : "bad");

function drawLag({ answer, phase }) {
  const lag = answer.lag_seconds ?? null;
  const level = lagLevel(lag);
  const verdict = { unknown: "unknown", good: "on time", watch: "behind", bad: "far behind" }[level];
  const done = phase === "ended";
  assign(byId("gauge-lag"), { "data-level": done ? "unknown" : level });
  write(byId("lag"), done && answer.completed ? "done" : steady(lag));
  write(byId("lag-verdict"), done ? "the subscription has ended" : verdict);
  write(byId("low-watermark"), time(answer.low_watermark));
  assign(byId("low-watermark"), { datetime: answer.low_watermark, title: answer.low_watermark });
}

function drawRate(answer) {
  const history = answer.history ?? [];
  const values = history.map((second) => second.settled);
  const latest = values.slice(-5);
  write(byId("rate"), values.length ? `${rate(latest.reduce((sum, value) => sum + value, 0) / latest.length)} /s` : "–");
  const most = Math.max(1, ...values);
  const points = values.map((value, place) => `${240 - (values.length - 1 - place) * 2} ${42 - (value / most) * 38}`);
  const [area, line] = byId("rate-line").children;
  assign(line, { d: points.length > 1 ? `M${points.join(" L")}` : "" });
  assign(area, { d: points.length > 1 ? `M${points.join(" L")} L240 44 L${240 - (values.length - 1) * 2} 44 Z` : "" });
  assign(byId("rate-line"), { "aria-label": `Changes settled per second; most in two minutes: ${count(most)}` });
  write(byId("rate-note"), values.length > 1
    ? `changes settled; at most ${count(most)} in a second of the last ${seconds(values.length)}`
    : "changes settled per second, last 2 minutes");
}

function drawRetention(answer) {
  const left = answer.lost_in_seconds ?? null;
  const whole = answer.retention_seconds ?? null;
  const share = left === null || !whole ? null : left / whole;
  const level = share === null ? "unknown" : share > SHRINKING ? "good" : share > DANGER ? "watch" : "bad";
  const verdict = { unknown: answer.retention_known === false ? "opening" : "unknown: the stream declares no retention_period", good: "plenty", watch: "shrinking", bad: "changes will be lost soon" }[level];
  assign(byId("gauge-retention"), { "data-level": left !== null && left <= 0 ? "bad" : level });
  write(byId("retention"), left !== null && left <= 0 ? "none" : seconds(left));
  write(byId("retention-verdict"), left !== null && left <= 0 ? "changes are being lost" : verdict);
  write(byId("retention-note"), `until changes of the slowest partition are lost${whole ? `; retention period ${seconds(whole)}` : ""}`);
}

export function drawWorkers({ answer, partitions }, owners) {
  const workers = [...(answer.workers ?? [])].sort((one, other) => (one.worker < other.worker ? -1 : 1));
  workers.forEach((one) => owners.of(one.worker));
  const most = Math.max(1, ...workers.map((one) => one.held ?? 0));
  byId("no-workers").hidden = workers.length > 0;
  follow(byId("workers"), workers, (one) => one.worker, makeWorker, (item, one) => {
    const [mark, name, meter, text] = item.children;
    const owner = owners.of(one.worker);
    assign(item, { "data-worker": one.worker, "data-alive": one.alive, class: owner.style });
    write(mark, owner.letter);
    write(name, shortWorker(one.worker) + (one.worker === answer.worker ? " (this one)" : ""));
    assign(name, { title: one.worker });
    assign(meter, { max: most, value: one.held ?? 0, "aria-label": `partitions owned by ${shortWorker(one.worker)}` });
    const room = one.capacity ? ` of at most ${count(one.capacity)}` : "";
    write(text, `${plural(one.held ?? 0, "partition")}${room}${one.alive === false ? ", gone" : ""}`);
  });
  drawLegend(partitions, workers, owners);
}

function makeWorker() {
  return element("li", {}, element("span", { class: "letter" }), element("span", { class: "name" }), element("meter"),
    element("span", { class: "note" }));
}

function drawLegend(partitions, workers, owners) {
  const names = new Set([...workers.map((one) => one.worker), ...partitions.map((one) => one.owner)]);
  names.delete(null);
  const marks = [...[...names].map((name) => owners.of(name)), owners.of(null)];
  follow(byId("legend"), marks, (mark) => mark.name, () => element("li", {}, element("span", { class: "letter" }), element("span")),
    (item, mark) => {
      assign(item, { class: mark.style });
      write(item.children[0], mark.letter);
      write(item.children[1], mark.style === "nobody" ? "waiting or ended" : shortWorker(mark.name));
    });
}

export function drawCounts({ answer }) {
  const counts = answer.counts ?? {};
  const plain = Object.entries(counts).filter(([, value]) => typeof value === "number");
  const place = (name) => (OUTCOMES.indexOf(name) + 1 || OUTCOMES.length + 1);
  plain.sort(([one], [other]) => place(one) - place(other));
  list(byId("outcomes"), plain);
  const causes = Object.entries(counts.reconnects ?? {}).sort(([, one], [, other]) => other - one);
  byId("no-reconnects").hidden = causes.length > 0;
  list(byId("reconnects"), causes);
}

function list(target, entries) {
  follow(target, entries, ([name]) => name, () => element("div", {}, element("dt"), element("dd")), (item, [name, value]) => {
    assign(item, { "data-count": name, class: BAD.has(name) && value > 0 ? "bad" : null });
    write(item.children[0], NAMES[name] ?? words(name));
    write(item.children[1], count(value));
  });
}
