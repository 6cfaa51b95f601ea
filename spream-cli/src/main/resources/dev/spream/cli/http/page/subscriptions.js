// Draws the subscriptions of the storage; each is a link that chooses it.
import { byId, element, write } from "./dom.js";
import { count, plural, seconds, time } from "./format.js";
import { lagLevel } from "./panels.js";
import { fillTable, startSection } from "./section.js";

const PATH = "api/subscriptions";

/** The subscription that the address names. */
export const asked = new URLSearchParams(location.search).get("subscription");

/** @param choose called with the only subscription of a storage, while none is chosen */
export function startSubscriptions(panel, choose) {
  let first = true;
  startSection("subscriptions", PATH, panel.seconds, (state) => {
    const { subscriptions } = state;
    if (first) {
      byId("subscriptions").querySelector("details").open = subscriptions.length !== 1;
    }
    first = false;
    if (subscriptions.length === 1) {
      choose(subscriptions[0].name);
    }
    draw(state);
  });
}

function draw({ subscriptions, configured, left_out: leftOut }) {
  const sorted = [...subscriptions].sort((one, other) => rank(one) - rank(other) || (one.name < other.name ? -1 : 1));
  write(byId("subscriptions-count"), told(subscriptions, leftOut));
  byId("subscriptions-table").hidden = sorted.length === 0;
  byId("subscriptions-none").hidden = sorted.length > 0;
  fillTable(byId("subscriptions-rows"), columns(asked ?? configured), sorted, (one) => one.name);
  write(byId("subscriptions-more"), leftOut ? `${plural(leftOut, "more subscription")} of this storage; open one by ?subscription=NAME.` : "");
}

function told(subscriptions, leftOut) {
  const bad = subscriptions.filter((one) => rank(one) === 0).length;
  const among = leftOut ? `of the first ${count(subscriptions.length)}, ` : "";
  return `${count(subscriptions.length + leftOut)} in this storage${bad || leftOut ? `; ${among}${plural(bad, "needs", "need")} attention` : ""}`;
}

function columns(chosen) {
  return [
    ["Subscription", (one) => element("a", { href: `?subscription=${encodeURIComponent(one.name)}`, class: "mono", "aria-current": one.name === chosen ? "true" : null }, one.name)],
    ["Stream", (one) => one.stream ?? "–", "name"],
    ["State", (one) => element("span", { class: state(one).level }, `${state(one).mark} ${state(one).name}`), "wide"],
    ["Lag", (one) => element("span", { class: lagClass(one), title: one.low_watermark ? `low watermark ${time(one.low_watermark)}` : null }, seconds(one.lag_seconds)), "tight"],
    ["Partitions", (one) => (one.unfinished ? `${count(one.owned)} read${one.unfinished > one.owned ? `, ${count(one.unfinished - one.owned)} waiting` : ""}` : "–"), "tight"],
    ["Workers", (one) => (one.error ? "–" : count(one.workers))],
  ];
}

function state(one) {
  if (one.error) {
    return { mark: "✕", name: `cannot be read: ${one.error}`, level: "bad" };
  }
  if (!one.stream) {
    return { mark: "…", name: "not started", level: null };
  }
  if (one.completed) {
    return { mark: "■", name: "completed", level: null };
  }
  return one.workers
    ? { mark: "●", name: "running", level: null }
    : { mark: "✕", name: "no worker", level: "bad" };
}

const lagClass = (one) => (one.completed ? null : { watch: "watch", bad: "bad" }[lagLevel(one.lag_seconds ?? null)] ?? null);

const rank = (one) => (state(one).level === "bad" || lagClass(one) === "bad" ? 0 : one.completed ? 2 : 1);
