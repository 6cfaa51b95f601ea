// Draws the open dead letters, with replay, discard and release.
import { button, command, onAccess, unlocked } from "./access.js";
import { byId, element, write } from "./dom.js";
import { ago, count, plural, words } from "./format.js";
import { fillTable, startSection } from "./section.js";

const PATH = "api/dead-letters";
const MOST = 100; // identities of a command

const selected = new Set();
let section = null;
let latest = null;

export function startDeadLetters(panel) {
  section = startSection("dead-letters", PATH, panel.seconds, draw);
  onAccess(section.redraw);
}

function draw(state, { now }) {
  latest = { state, now };
  const { open, failed, overtaken, parked, behind_parked: behind, parked_keys: keys } = state;
  write(byId("dead-letters-of"), state.subscription ? `of subscription ${state.subscription}` : "");
  write(byId("dead-letters-open"), count(open));
  write(byId("dead-letters-counts"), open
    ? `${count(failed)} failed (${count(overtaken)} overtaken), ${count(parked)} parked, ${count(behind)} behind them; ${plural(keys, "key")} parked`
    : `${plural(keys, "key")} parked`);
  const causes = Object.entries(state.causes ?? {}).sort(([, one], [, other]) => other - one);
  write(byId("dead-letters-shown"), state.letters.length < open ? `newest ${count(state.letters.length)} of ${count(open)}; spream deadletters list shows all` : "all");
  write(byId("dead-letters-causes"), causes.length ? `. Causes: ${causes.map(([cause, number]) => `${simple(cause)} ${count(number)}`).join(", ")}` : "");
  byId("dead-letters-shown").parentElement.hidden = state.letters.length === 0;
  const listed = new Set(state.letters.map((letter) => letter.identity));
  selected.forEach((identity) => listed.has(identity) || selected.delete(identity));
  fillTable(byId("dead-letters-rows"), columns(now), state.letters, (letter) => letter.identity);
  byId("dead-letters-table").hidden = state.letters.length === 0;
  write(byId("dead-letters-replay"), told(state.replay));
  drawCommands(state);
}

const simple = (name) => name.slice(name.lastIndexOf(".") + 1);

function told(replay) {
  if (replay?.running) {
    return `A replay has been running for ${ago(replay.since, latest.now)}: ${plural(replay.replayed, "letter")} replayed${replay.stopping ? "; it was told to stop, and waits for its sink" : ""}.`;
  }
  return replay?.result ? `Last replay from this page: ${replay.result}.` : "";
}

function columns(now) {
  const shown = [
    ["Change", (letter) => element("span", { class: "mono" }, letter.identity)],
    ["Table", (letter) => letter.table_name || "unknown", "name"],
    ["Cause", (letter) => (letter.error_class ? simple(letter.error_class) : "not tried"), "name"],
    ["Attempts", (letter) => (letter.attempts === undefined ? "–" : count(letter.attempts))],
    ["Since", (letter) => ago(letter.set_aside_at, now), "tight"],
    ["Status", (letter) => status(letter)],
  ];
  return unlocked() ? [...shown, ["Commands", actions, "actions"]] : shown;
}

function status(letter) {
  if (letter.undecodable) {
    return "not decoded";
  }
  const kind = { failed: "failed", parked: "its key is parked", behind_parked: "behind a parked one" }[letter.reason] ?? words(letter.reason);
  return letter.overtaken ? `${kind}, overtaken` : kind;
}

function actions(letter) {
  const label = `${letter.table_name} ${letter.identity}`;
  const made = [];
  if (!letter.undecodable) {
    if (!letter.overtaken) {
      made.push(button("Replay", () => run("replay", { identities: [letter.identity] }, {
        title: "Replay this dead letter?", label: "Replay",
        text: "Its change is delivered to the sink again, if it is the first of its keys.", items: [label] }), `Replay ${label}`));
    }
    made.push(button("Replay key", () => run("replay-key", { identity: letter.identity }, {
      title: "Replay all letters of its key?", label: "Replay the key",
      text: "The changes of the key are delivered again in commit order, and so are those of keys that changes connect with it. The key is released when none is left.", items: [label] }),
    `Replay all letters of the key of ${label}`));
  }
  made.push(button("Discard", () => discard([letter]), `Discard ${label}`), pick(letter));
  return made;
}

function pick(letter) {
  const box = element("input", { type: "checkbox", "aria-label": `Select ${letter.identity}` });
  box.checked = selected.has(letter.identity);
  box.addEventListener("change", () => {
    box.checked ? selected.add(letter.identity) : selected.delete(letter.identity);
    drawCommands(latest.state);
  });
  return element("label", { class: "pick" }, box, " select");
}

function drawCommands(state) {
  const bar = byId("dead-letters-commands");
  bar.hidden = !unlocked();
  if (bar.hidden) {
    bar.drawn = null;
    bar.replaceChildren();
    return;
  }
  const chosen = state.letters.filter((letter) => selected.has(letter.identity)).slice(0, MOST);
  const made = [];
  if (state.replay?.running) {
    made.push(button("Stop the replay", () => run("stop", {}, {
      title: "Stop the replay?", label: "Stop",
      text: "A change that the sink has at the moment may still take effect. Letters that were not replayed stay open." })));
  }
  if (chosen.length) {
    made.push(button(`Replay ${count(chosen.length)} selected`, () => run("replay", { identities: chosen.map((letter) => letter.identity) }, {
      title: `Replay ${plural(chosen.length, "dead letter")}?`, label: "Replay",
      text: "Their changes are delivered to the sink again in commit order.", items: chosen.map((letter) => `${letter.table_name} ${letter.identity}`) })));
    made.push(button(`Discard ${count(chosen.length)} selected`, () => discard(chosen)));
  }
  if (state.parked_keys > 0) {
    made.push(button("Release keys without letters", () => run("release", {}, {
      title: "Release parked keys?", label: "Release",
      text: `Of ${plural(state.parked_keys, "parked key")}, those without an open dead letter are delivered again from the next change on.` })));
  }
  const text = `${[...selected].join()} ${state.parked_keys} ${state.replay?.running}`;
  if (bar.drawn !== text) {
    bar.drawn = text;
    bar.replaceChildren(...made);
  }
}

function discard(letters) {
  return run("discard", { identities: letters.map((letter) => letter.identity) }, {
    title: `Discard ${plural(letters.length, "dead letter")}?`, label: "Discard", loses: true,
    text: "The sink never gets these changes, and this cannot be undone. Keys that they parked stay parked until they are released.",
    items: letters.map((letter) => `a change of ${letter.table_name || "an unknown table"}, committed at ${letter.commit_timestamp}: ${letter.identity}`) });
}

async function run(name, values, question) {
  const outcome = await command(`${PATH}/${name}`, values, question);
  if (outcome) {
    selected.clear();
    await section.now();
  }
}
