// Converts the response of a worker to the displayed model.

const MOST = 200;
const ROOT = "Parent0";

const moment = (instant) => (instant ? new Date(instant).getTime() : null);

/** The newest partitions first; if there are more than the page can show, unfinished ones take precedence. */
export function read(answer) {
  const all = (answer.partitions ?? []).map(partition);
  const tokens = new Set(all.map((one) => one.token));
  linkRoot(all, tokens);
  const totals = count(all, answer.partitions_left_out ?? 0);
  all.sort(newestFirst);
  const kept = all.length <= MOST ? all : pick(all);
  return {
    answer,
    now: moment(answer.now) ?? Date.now(),
    phase: answer.completed && answer.phase !== "failed" ? "ended" : (answer.phase ?? "running"),
    partitions: kept,
    leftOut: (answer.partitions_left_out ?? 0) + all.length - kept.length,
    totals,
  };
}

function partition(one) {
  return {
    token: String(one.token),
    root: one.token === ROOT,
    state: String(one.state),
    owner: one.state === "FINISHED" ? null : (one.owner ?? null),
    mine: Boolean(one.mine),
    gone: one.state !== "FINISHED" && one.owner_alive === false,
    continues: (one.parents ?? []).map(String),
    children: (one.children ?? []).map(String),
    watermark: one.watermark,
    lag: one.lag_seconds ?? null,
    inflight: one.inflight ?? null,
    endKind: one.end_kind ?? null,
    gaps: Array.isArray(one.gaps) ? one.gaps.length : (one.gaps ?? 0),
    created: moment(one.created_at) ?? 0,
    running: moment(one.running_at),
    finished: moment(one.finished_at),
    settled: moment(one.watermark) ?? 0,
  };
}

/** A partition of the initial query has no parents; the initial query is shown as its parent. */
function linkRoot(all, tokens) {
  if (tokens.has(ROOT)) {
    for (const one of all) {
      if (!one.root && one.continues.length === 0) {
        one.continues = [ROOT];
      }
    }
  }
}

function count(all, leftOut) {
  const childrenOf = new Map();
  const totals = { running: 0, waiting: 0, finished: leftOut, splits: 0, merges: 0, inflight: 0 };
  for (const one of all) {
    totals[{ RUNNING: "running", FINISHED: "finished" }[one.state] ?? "waiting"]++;
    totals.inflight += one.inflight ?? 0;
    totals.merges += one.continues.length > 1 ? 1 : 0;
    one.continues.forEach((parent) => childrenOf.set(parent, (childrenOf.get(parent) ?? 0) + 1));
  }
  childrenOf.delete(ROOT);
  childrenOf.forEach((children) => (totals.splits += children > 1 ? 1 : 0));
  return totals;
}

const newestFirst = (one, other) => other.created - one.created || (one.token < other.token ? -1 : 1);

function pick(all) {
  const open = all.filter((one) => one.state !== "FINISHED");
  const closed = all.filter((one) => one.state === "FINISHED");
  return [...open, ...closed].slice(0, MOST).sort(newestFirst);
}
