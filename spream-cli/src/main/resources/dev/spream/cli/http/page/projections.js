// Draws the projections, with pause, resume and retry.
import { button, command, onAccess, unlocked } from "./access.js";
import { byId, element, write } from "./dom.js";
import { ago, count, plural } from "./format.js";
import { fillTable, startSection } from "./section.js";

const PATH = "api/projections";

let section = null;

export function startProjections(panel) {
  section = startSection("projections", PATH, panel.seconds, draw);
  onAccess(section.redraw);
}

function draw(state, { now }) {
  const { projections } = state;
  byId("projections-table").hidden = projections.length === 0;
  byId("projections-none").hidden = projections.length > 0;
  fillTable(byId("projections-rows"), columns(now), projections, (one) => one.projection_name);
  write(byId("projections-more"), state.left_out ? `${plural(state.left_out, "more version")}; spream projection list shows all.` : "");
}

function columns(now) {
  const shown = [
    ["Projection", (one) => element("span", { class: "mono" }, one.name)],
    ["Status", status],
    ["Version", (one) => (one.version ? `${one.version} ${one.role}` : "–")],
    ["Position", (one) => (one.event_store_position === undefined ? "–" : count(one.event_store_position))],
    ["Last event", (one) => (one.last_processed_timestamp ? ago(one.last_processed_timestamp, now) : "none yet")],
    ["Segments", segments],
    ["Parked", (one) => (one.parked_keys ? element("span", { class: "bad" }, `${plural(one.parked_keys, "key")}, ${plural(one.parked_events, "event")}`) : "0")],
    ["Last error", (one) => (one.last_error ? `${one.last_error_at ? `${ago(one.last_error_at, now)}: ` : ""}${one.last_error}` : "–"), "wide"],
  ];
  return unlocked() ? [...shown, ["Commands", actions, "actions"]] : shown;
}

const MARKS = { running: "●", rebuilding: "◔", following: "◔", paused: "◐", failed: "✕" };

function status(one) {
  const bad = one.status === "failed" ? "bad" : one.status === "paused" ? "watch" : null;
  return element("span", { class: bad }, `${MARKS[one.status] ?? "?"} ${one.status}`);
}

function segments(one) {
  if (!one.segment_count) {
    return "no positions";
  }
  const behind = one.segments.length > 1 ? `, positions ${count(Math.min(...one.segments.map((part) => part.position)))} to ${count(Math.max(...one.segments.map((part) => part.position)))}` : "";
  const text = `${count(one.segment_count)}${one.segments_unheld ? `, ${count(one.segments_unheld)} unowned` : ""}${behind}`;
  return element("span", { class: one.segments_unheld ? "bad" : null, title: one.segments.map((part) => part.owner ?? "none").join(", ") }, text);
}

function actions(one) {
  const ask = (name, title, label, text, loses = false) => button(label, () => run(name, one, { title, label, text, reason: true, loses }), `${label} ${one.name}`);
  const made = [];
  if (one.status === "running" || one.status === "rebuilding" || one.status === "following") {
    made.push(ask("pause", `Pause ${one.name}?`, "Pause", "It writes nothing in any process until it is resumed. Its events wait in their source.", true));
  } else {
    made.push(ask("resume", `Resume ${one.name}?`, "Resume", "It continues from its checkpoint. A failed projection fails again unless the cause is fixed."));
  }
  if (one.parked_keys) {
    made.push(ask("retry", `Retry all parked aggregates of ${one.name}?`, "Retry parked", `${plural(one.parked_keys, "aggregate")} with ${plural(one.parked_events, "event")} are tried again with all attempts.`));
  }
  return made;
}

async function run(name, one, question) {
  if (await command(`${PATH}/${name}`, { projection: one.name }, question)) {
    await section.now();
  }
}
