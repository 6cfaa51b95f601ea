// The page: asks what the process has to show, then polls and displays it. After a failure, the last known state stays
// visible with its age.
import { startAccess } from "./access.js";
import { startDeadLetters } from "./deadletters.js";
import { byId, write } from "./dom.js";
import { seconds, zone } from "./format.js";
import { drawFailures } from "./failures.js";
import { drawGraph } from "./graph.js";
import { startLag } from "./lag.js";
import { startLocks } from "./locks.js";
import { read } from "./model.js";
import { Owners } from "./owners.js";
import { startOutbox } from "./outbox.js";
import { drawCounts, drawGauges, drawNames, drawWorkers } from "./panels.js";
import { poll } from "./poll.js";
import { startProjections } from "./projections.js";
import { asked, startSubscriptions } from "./subscriptions.js";
import { startTheme } from "./theme.js";
import { drawTree, startTree } from "./tree.js";

const PANELS = { "dead-letters": startDeadLetters, outbox: startOutbox, projections: startProjections, locks: startLocks,
  subscriptions: (panel) => startSubscriptions(panel, (name) => watching || watch(name)) };
const PAGE_PERIOD = 5000;
const STALE_AFTER = 3; // seconds without an answer, or since the storage last answered the worker

const STATES = {
  waiting: { mark: "…", name: "waiting" },
  live: { mark: "●", name: "live" },
  draining: { mark: "◐", name: "draining" },
  ended: { mark: "■", name: "ended" },
  failed: { mark: "✕", name: "failed" },
  stale: { mark: "▲", name: "stale" },
  missing: { mark: "✕", name: "not found" },
  disconnected: { mark: "✕", name: "disconnected" },
};
const PHASES = { starting: "waiting", running: "live", draining: "draining", ended: "ended", failed: "failed" };

const owners = new Owners();
let page = null;
let watching = false; // a subscription
let model = null;
let answeredAt = 0;
let failure = null;

/** Shows the parts that the process has. */
function start(answer) {
  answeredAt = performance.now();
  failure = null;
  if (page === null) {
    page = answer;
    document.body.dataset.kind = page.kind;
    for (const part of document.querySelectorAll("[data-part]")) {
      part.hidden = true;
    }
    startAccess(page.commands);
    if (page.subscription && (asked ?? page.chosen)) {
      watch(asked);
    } else {
      write(byId("stream"), page.subscription ? "all subscriptions" : page.name);
      document.title = `${page.name}: ${page.kind}`;
    }
    page.panels.forEach((panel) => PANELS[panel.name]?.(panel));
  }
  drawState();
}

/** Shows a subscription: that name of the storage, or the one of the process. */
function watch(name) {
  watching = true;
  for (const part of document.querySelectorAll("[data-part]")) {
    part.hidden = part.dataset.part === "worker" && page.kind !== "subscription";
  }
  const query = name === null ? "" : `?name=${encodeURIComponent(name)}`;
  byId("data").href = `api/subscription${query}`;
  startLag(`api/lag${query}`);
  poll(`api/subscription${query}`, answered, failed);
}

function answered(answer) {
  model = read(answer);
  answeredAt = performance.now();
  failure = null;
  draw();
}

function failed(error) {
  failure = error;
  drawState();
}

function draw() {
  drawNames(model);
  drawGauges(model);
  drawWorkers(model, owners);
  drawTree(model, owners);
  drawLineage();
  drawCounts(model);
  drawFailures(model);
  drawState();
  document.title = `${(page.kind === "dashboard" ? model.answer.subscription : model.answer.stream) ?? "spream"}: lag ${seconds(model.answer.lag_seconds)}`;
  document.body.dataset.now = model.answer.now ?? "";
}

function drawLineage() {
  if (model) {
    drawGraph(model, owners, Number(byId("window").value));
  }
}

function drawState() {
  const state = judge();
  document.body.dataset.state = state;
  write(byId("state-mark"), STATES[state].mark);
  write(byId("state-name"), STATES[state].name);
  write(byId("state-detail"), detail(state));
}

const age = () => (performance.now() - answeredAt) / 1000;

function judge() {
  if (failure) {
    return failure.missing ? "missing" : "disconnected";
  }
  if (page && !watching) {
    return "live";
  }
  if (!model) {
    return "waiting";
  }
  const known = PHASES[model.phase] ?? "live";
  const finished = known === "ended" || known === "failed";
  const old = age() > STALE_AFTER || (model.answer.storage_error && (model.answer.read_age_seconds ?? Infinity) > STALE_AFTER);
  return old && !finished ? "stale" : known;
}

function detail(state) {
  if (page && !watching) {
    return state === "live" ? "" : `The process cannot be reached (${failure.message}). Retrying automatically.`;
  }
  const since = model ? `The state shown is ${seconds(Math.round(age()))} old.` : "No state is known yet.";
  const told = model?.answer.storage_error ? `: ${model.answer.storage_error}` : "";
  switch (state) {
    case "missing": return `The storage has no subscription ${asked ?? page?.chosen ?? ""}.`;
    case "waiting": return "Waiting for the worker to open its storage and its stream.";
    case "live":
      if (page?.kind === "dashboard") {
        return told ? `The storage does not answer${told}` : "As stored; this process runs no worker.";
      }
      return model.partitions.length ? "" : "Waiting for the first partitions.";
    case "draining": return "Shutting down: work in flight is being finished.";
    case "ended": return model.answer.completed ? "Every change up to the end was read and settled." : "This worker has stopped; the subscription resumes from its stored watermarks.";
    case "failed": return `This worker has failed${model.answer.problem ? `: ${model.answer.problem}` : "; see its log"}.`;
    case "stale": return age() > STALE_AFTER
      ? `No answer for ${seconds(Math.round(age()))}.`
      : `The storage ${model.answer.read_age_seconds === undefined ? "has not answered this worker yet" : `has not answered this worker for ${seconds(model.answer.read_age_seconds)}`}${told}.`;
    default: return `The ${page?.kind === "dashboard" ? "process" : "worker"} cannot be reached (${failure.message}). ${since} Retrying automatically.`;
  }
}

write(byId("zone"), zone());
byId("window").addEventListener("change", drawLineage);
new ResizeObserver(drawLineage).observe(byId("graph-frame"));
setInterval(drawState, 1000);
startTheme(byId("theme"));
startTree();
byId("confirm-no").addEventListener("click", () => byId("confirm").close("no"));
byId("outcome-close").addEventListener("click", () => (byId("outcome").hidden = true));
poll("api/page", start, failed, { period: PAGE_PERIOD, wanted: () => !watching });
