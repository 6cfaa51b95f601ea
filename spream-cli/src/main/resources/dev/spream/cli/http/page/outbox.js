// Draws the outbox: entries by status, the oldest due one, and those that need an operator, with requeue and abort.
import { button, command, onAccess, unlocked } from "./access.js";
import { byId, element, follow, write } from "./dom.js";
import { ago, count, rate, seconds, time } from "./format.js";
import { fillTable, startSection } from "./section.js";

const PATH = "api/outbox";
const BEHIND = 60; // seconds that an entry may be due

let section = null;
let before = null;

export function startOutbox(panel) {
  section = startSection("outbox", PATH, panel.seconds, draw);
  onAccess(section.redraw);
}

function draw(state, { now, read_at: readAt }) {
  const { stats } = state;
  const approximate = (name) => (stats.estimated.includes(name) ? "about " : "");
  const least = (name) => (stats.at_least.includes(name) ? "at least " : "");
  const facts = [
    ...Object.entries(stats.entries).map(([status, number]) => [status, `${approximate(status)}${count(number)}`, status === "aborted" && number > 0]),
    ["due now", `${least("due")}${count(stats.due)}`],
    ["oldest due", stats.oldest_due ? `${least("lag_seconds")}${seconds(stats.lag_seconds)} ago` : "none is due", stats.lag_seconds > BEHIND],
    ["parked", `${least("parked")}${count(stats.parked)}${stats.parked_unknown ? `, ${count(stats.parked_unknown)} of unknown outcome` : ""}`, stats.parked > 0],
    ["expired leases", `${least("leases_expired")}${count(stats.leases_expired)}`, stats.leases_expired > 0],
  ];
  if (state.worker) {
    facts.push(
      ["sent by this worker", `${count(state.worker.succeeded)}${speed(state.worker.succeeded, readAt)}`],
      ["being sent", count(state.worker.sending)],
      ["circuit breaker", state.worker.breaker_open ? "open: the receiver is down" : "closed", state.worker.breaker_open]);
  }
  follow(byId("outbox-facts"), facts, ([name]) => name, () => element("div", {}, element("dt"), element("dd")), (item, [name, value, bad]) => {
    item.className = bad ? "bad" : "";
    write(item.children[0], name);
    write(item.children[1], value);
  });
  const dead = [...state.parked, ...state.aborted];
  byId("outbox-table").hidden = dead.length === 0;
  byId("outbox-none").hidden = dead.length > 0;
  fillTable(byId("outbox-rows"), columns(now), dead, (entry) => String(entry.id));
  const hidden = Math.max(0, stats.parked - state.parked.length) + Math.max(0, stats.entries.aborted - state.aborted.length);
  write(byId("outbox-more"), hidden ? `The first ${state.listed} of each kind are shown; spream outbox list shows the others.` : "");
}

/** The rate between the last two reads. */
function speed(succeeded, readAt) {
  const at = new Date(readAt).getTime();
  if (!before || before.at !== at) {
    const last = before;
    before = { at, succeeded, speed: last && at > last.at ? (succeeded - last.succeeded) / ((at - last.at) / 1000) : null };
  }
  return before.speed === null ? "" : `, ${rate(before.speed)} /s`;
}

function columns(now) {
  const shown = [
    ["Entry", (entry) => element("span", { class: "mono" }, String(entry.id))],
    ["Status", (entry) => `${entry.status}${entry.parked ? ", parked" : ""}${entry.outcome_unknown ? ", outcome unknown" : ""}`],
    ["Last error", (entry) => entry.last_error_code ?? "–"],
    ["Attempts", (entry) => count(entry.attempts)],
    ["Since", (entry) => element("span", { title: time(entry.updated_at) }, ago(entry.updated_at, now))],
  ];
  return unlocked() ? [...shown, ["Commands", actions, "actions"]] : shown;
}

function actions(entry) {
  const known = entry.outcome_unknown ? " It may have reached the receiver: ask the receiver first." : "";
  const made = [button("Requeue", () => run("requeue", entry, {
    title: `Requeue entry ${entry.id}?`, label: "Requeue", reason: true, text: `It is due at once, with all attempts.${known}` }), `Requeue entry ${entry.id}`)];
  if (entry.status !== "aborted") {
    made.push(button("Abort", () => run("abort", entry, {
      title: `Abort entry ${entry.id}?`, label: "Abort", reason: true, loses: true,
      text: `It is not sent any more; the ledger records that an operator failed it.${known}` }), `Abort entry ${entry.id}`));
  }
  return made;
}

async function run(name, entry, question) {
  if (await command(`${PATH}/${name}`, { id: entry.id }, question)) {
    await section.now();
  }
}
