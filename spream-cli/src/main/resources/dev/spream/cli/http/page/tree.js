// The lineage as a table: the content of the graph for screen readers, text search and tests.
import { assign, byId, element, follow, write } from "./dom.js";
import { plural, seconds, shortToken, time, words } from "./format.js";

const STATES = { CREATED: "○", SCHEDULED: "◔", RUNNING: "●", FINISHED: "✓" };
const COLUMNS = ["Partition", "State", "Owner", "Continues", "Settled up to", "Lag", "In flight", "End"];
const FOLDED = 12; // rows of a narrow screen, as in the style sheet; a wide one has 40
const ids = new Map(); // tokens may contain characters that ids may not
let known = 0;

export function drawTree(model, owners) {
  const any = model.partitions.length > 0;
  byId("nothing").hidden = any;
  byId("tree").hidden = !any;
  const shown = new Set(model.partitions.map((partition) => partition.token));
  follow(byId("rows"), model.partitions, (partition) => partition.token, makeRow,
    (row, partition) => drawRow(row, partition, owners, shown));
  byId("all-partitions").hidden = model.partitions.length <= FOLDED || byId("tree").classList.contains("all");
  for (const token of ids.keys()) {
    shown.has(token) || ids.delete(token);
  }
  const hidden = model.leftOut;
  byId("left-out").hidden = hidden === 0;
  write(byId("left-out"), `${plural(model.partitions.length, "partition")} shown, the newest; `
    + `${plural(hidden, "older finished one")} omitted.`);
}

/** Shows the rows that are folded away, of which the style sheet knows. */
export function startTree() {
  byId("all-partitions").addEventListener("click", () => {
    byId("tree").classList.add("all");
    byId("all-partitions").hidden = true;
    byId("partitions").focus();
  });
}

function rowId(token) {
  if (!ids.has(token)) {
    ids.set(token, `partition-${known++}`);
  }
  return ids.get(token);
}

function makeRow(partition) {
  const row = element("tr", { role: "row", id: rowId(partition.token), tabindex: "-1" });
  for (const [place, column] of COLUMNS.entries()) {
    row.append(place === 0
      ? element("th", { role: "rowheader", scope: "row", "data-label": column })
      : element("td", { role: "cell", "data-label": column }));
  }
  return row;
}

function drawRow(row, partition, owners, shown) {
  const [name, state, owner, continues, settled, lag, inflight, end] = row.children;
  const mark = owners.of(partition.owner);
  assign(row, {
    class: `state-${partition.state.toLowerCase()}`,
    "data-token": partition.token,
    "data-state": partition.state,
    "data-owner": partition.owner,
    "data-parents": JSON.stringify(partition.continues),
  });
  assign(name, { title: partition.token });
  write(name, partition.root ? "initial query" : shortToken(partition.token));
  write(state, `${STATES[partition.state] ?? "?"} ${words(partition.state)}`);
  assign(owner, { class: mark.style, title: partition.owner });
  write(owner, ownership(partition, mark));
  drawTokens(continues, partition.continues, shown, partition.continues.length > 1 ? "merge of" : "");
  write(settled, time(partition.watermark));
  write(lag, partition.finished === null ? seconds(partition.lag) : "–");
  write(inflight, partition.inflight === null ? "–" : String(partition.inflight));
  drawTokens(end, partition.children, shown, ending(partition));
}

function ownership(partition, mark) {
  if (partition.owner === null) {
    return "–";
  }
  return `${mark.letter} ${partition.mine ? "this worker" : shortToken(partition.owner)}${partition.gone ? " (gone)" : ""}`;
}

function ending(partition) {
  const gaps = partition.gaps ? `${plural(partition.gaps, "gap")} accepted, ` : "";
  if (partition.endKind === null) {
    return gaps || (partition.finished === null ? "–" : "finished");
  }
  return gaps + (partition.children.length > 1 ? "split into" : partition.children.length ? "continued by" : words(partition.endKind));
}

/** A label followed by tokens, each a link to its row if that is shown. */
function drawTokens(cell, tokens, shown, word) {
  const text = JSON.stringify([word, tokens, tokens.map((token) => shown.has(token))]);
  if (cell.drawn === text) {
    return;
  }
  cell.drawn = text;
  cell.replaceChildren(word || tokens.length ? element("span", { class: "word" }, word) : "–");
  for (const token of tokens) {
    const name = shortToken(token);
    cell.append(" ", shown.has(token)
      ? element("a", { href: `#${rowId(token)}`, title: token }, name)
      : element("span", { title: token }, name));
  }
}
