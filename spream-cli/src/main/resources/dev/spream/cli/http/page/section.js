// A section of the page with a state of its own: it is asked for while the section is open and near the view, and
// keeps its last state with its age.
import { assign, byId, element, write } from "./dom.js";
import { seconds } from "./format.js";
import { poll } from "./poll.js";

const NEAR = "400px";

/** @param draw called with the state, and again when access has changed */
export function startSection(id, path, period, draw) {
  const section = byId(id);
  const details = section.querySelector("details");
  const note = section.querySelector(".age");
  let near = false;
  let known = null;
  section.hidden = false;
  const asking = poll(path, answered, failed, { period: period * 1000, wanted: () => near && details.open });
  new IntersectionObserver((entries) => {
    near = entries.at(-1).isIntersecting;
    near && asking.now();
  }, { rootMargin: NEAR }).observe(section);
  details.addEventListener("toggle", () => details.open && asking.now());

  function answered(answer) {
    known = answer.state ? answer : { ...answer, state: known?.state };
    tell(answer.error
      ? `${answer.state ? `The state is ${seconds(answer.read_age_seconds)} old: ` : ""}${answer.error}`
      : "");
    redraw();
  }

  function failed(error) {
    tell(`No answer: ${error.message}`);
  }

  function tell(text) {
    write(note, text);
    write(section.querySelector(".waiting"), text ? section.dataset.without : "Waiting for the first answer.");
    note.hidden = text === "";
    assign(section, { "data-failing": text !== "" });
  }

  function redraw() {
    const any = Boolean(known?.state);
    section.querySelector(".content").hidden = !any;
    section.querySelector(".waiting").hidden = any;
    any && draw(known.state, known);
  }

  return { redraw: () => known && redraw(), now: asking.now };
}

/** Rows of a table that become cards on a narrow screen; each column has a label and fills a cell. */
export function fillTable(body, columns, items, key) {
  const rows = items.map((item) => {
    const row = element("tr", { role: "row", "data-key": key(item) });
    columns.forEach(([label, fill, style], place) => {
      const cell = element(place === 0 ? "th" : "td", {
        role: place === 0 ? "rowheader" : "cell", scope: place === 0 ? "row" : null, "data-label": label, class: style ?? null });
      const content = fill(item);
      cell.append(...(Array.isArray(content) ? content : [content ?? "–"]));
      row.append(cell);
    });
    return row;
  });
  const head = body.parentElement.tHead.rows[0];
  const sameColumns = head.childElementCount === columns.length;
  const text = rows.map((row) => row.outerHTML).join("");
  if (body.drawn !== text && !(sameColumns && body.contains(document.activeElement) && same(body, rows))) {
    body.drawn = text;
    body.replaceChildren(...rows);
  }
  if (!sameColumns) {
    head.replaceChildren(...columns.map(([label]) => element("th", { role: "columnheader", scope: "col" }, label)));
  }
}

/** Whether the rows are the same as those shown, so that a focused button may stay. */
function same(body, rows) {
  return body.childElementCount === rows.length && [...body.children].every((child, place) => child.dataset.key === rows[place].dataset.key);
}
