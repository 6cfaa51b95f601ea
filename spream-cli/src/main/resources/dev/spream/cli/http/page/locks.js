// Draws the locks: holders and waiters by target.
import { byId, element, write } from "./dom.js";
import { count, plural, seconds, words } from "./format.js";
import { fillTable, startSection } from "./section.js";

export function startLocks(panel) {
  startSection("locks", "api/locks", panel.seconds, draw);
}

function draw(state) {
  const waits = new Map(state.waits.map((wait) => [wait.session, wait]));
  write(byId("locks-counts"), `${plural(state.session_count, "session")}, ${plural(state.wait_count, "of them waits", "of them wait")}`
    + `${state.circle.length ? `; ${plural(state.circle.length, "session")} wait in a circle, which the database breaks` : ""}`);
  byId("locks-table").hidden = state.sessions.length === 0;
  byId("locks-none").hidden = state.sessions.length > 0;
  fillTable(byId("locks-rows"), columns(waits), state.sessions, (session) => session.session);
  const hidden = state.session_count - state.sessions.length;
  write(byId("locks-more"), hidden > 0 ? `${plural(hidden, "more session")}; spream locks list shows all.` : "");
  write(byId("locks-notes"), (state.notes ?? []).join(" "));
}

function columns(waits) {
  return [
    ["Session", (one) => [element("span", { class: "mono" }, one.session), one.label ? ` ${one.label}` : ""]],
    ["Process", (one) => one.process ?? one.application ?? "–"],
    ["Holds", (one) => targets(one.held, one.unnamed_keys)],
    ["Waits for", (one) => targets(one.wanted, [])],
    ["Open for", (one) => (one.open_seconds === undefined ? "–" : seconds(one.open_seconds))],
    ["State", (one) => told(waits.get(one.session)), "wide"],
  ];
}

function targets(named = [], unnamed = []) {
  const list = [...named.map((target) => `${target.path.join("/")} ${words(target.mode)}`),
    ...(unnamed.length ? [`${count(unnamed.length)} unnamed`] : [])];
  return list.length ? element("span", { class: "mono" }, list.join(", ")) : "–";
}

function told(wait) {
  if (!wait) {
    return "● holds";
  }
  const time = wait.waiting_seconds === undefined ? "" : ` for ${seconds(wait.waiting_seconds)}`;
  const behind = wait.blockers.map((blocker) => blocker.session).join(", ");
  return element("span", { class: "watch" }, `◔ waits${time}, behind ${behind || "another session"}: ${words(wait.verdict)}`);
}
