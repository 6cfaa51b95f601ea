// Draws the last failures, with the change that each concerns; neither its keys nor its values.
import { assign, byId, element, follow, write } from "./dom.js";
import { plural, shortToken, time, words } from "./format.js";

const FACTS = [
  ["table", (change) => change.table],
  ["kind", (change) => words(change.mod_type)],
  ["committed", (change) => change.commit_timestamp],
  ["transaction", (change) => change.server_transaction_id],
  ["record", (change) => change.record_sequence],
];

export function drawFailures({ answer }) {
  const failures = answer.failures ?? [];
  byId("no-failures").hidden = failures.length > 0;
  write(byId("failures-count"), failures.length ? `the last ${plural(failures.length, "failure")} of this worker` : "");
  const named = failures.map((failure, place) => ({ ...failure, place }));
  follow(byId("failures"), named, (failure) => failure.place, makeFailure, (item, failure) => {
    const [head, message, change] = item.children;
    const [at, what, where] = head.children;
    write(at, time(failure.at));
    assign(at, { datetime: failure.at });
    write(what, words(failure.what));
    write(where, failure.partition ? shortToken(failure.partition) : "");
    assign(where, { title: failure.partition ?? null });
    write(message, failure.change
      ? `${failure.change.error} on attempt ${failure.change.attempt}: ${failure.change.decision}`
      : (failure.message ?? ""));
    change.hidden = !failure.change;
    follow(change, failure.change ? FACTS : [], ([name]) => name,
      () => element("div", {}, element("dt"), element("dd")), (fact, [name, value]) => {
        write(fact.children[0], name);
        write(fact.children[1], String(value(failure.change) ?? "–"));
      });
  });
}

function makeFailure() {
  return element("li", {}, element("p", { class: "head" }, element("time"), element("strong"), element("span", { class: "where" })),
    element("p", { class: "message" }), element("dl", { class: "facts" }));
}
