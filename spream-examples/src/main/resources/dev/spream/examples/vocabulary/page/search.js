"use strict";

const form = document.getElementById("form");
const results = document.getElementById("results");
const status = document.getElementById("status");
const template = document.getElementById("result");
const pages = document.getElementById("pages");
const previous = document.getElementById("previous");
const next = document.getElementById("next");
const PAUSE = 120; // ms without a key before a search
const LIMIT = 20; // results of a page
const LAST_PAGE = 501; // the service answers no offset above 10,000

let timer = 0;
let page = 1; // of the results, in the address unless it is the first
let asked = 0; // an answer that was overtaken by another search is thrown away

function text(node, selector, value) {
  node.querySelector(selector).textContent = value;
}

function card(found) {
  const node = template.content.cloneNode(true);
  text(node, ".word", found.word);
  text(node, ".reading", found.reading && found.reading !== found.word ? found.reading : "");
  text(node, ".definition", found.definition);
  text(node, ".difficulty", found.difficulty);
  text(node, ".part", found.part_of_speech);
  node.querySelector(".generated").hidden = !found.is_ai_generated;
  const categories = node.querySelector(".categories");
  for (const category of found.categories || []) {
    const chip = document.createElement("li");
    chip.textContent = category;
    categories.append(chip);
  }
  node.querySelector("li").dataset.item = found.item_id;
  return node;
}

function show(answer, query) {
  results.replaceChildren(...answer.results.map(card));
  const total = answer.total === 1 ? "1 result" : `${answer.total} results`;
  const first = (page - 1) * LIMIT;
  const some = answer.results.length < answer.total;
  const shown = answer.results.length === 0 ? "none of them here" : `${first + 1} to ${first + answer.results.length} shown`;
  status.textContent = answer.total === 0
      ? "Nothing found."
      : `${total}${some ? ", " + shown : ""}, ${answer.took_ms.toFixed(1)} ms`;
  const last = Math.min(LAST_PAGE, Math.max(1, Math.ceil(answer.total / LIMIT)));
  text(document, "#page", `Page ${page} of ${last}`);
  previous.disabled = page <= 1;
  next.disabled = page >= last;
  pages.hidden = last === 1 && page === 1;
  document.body.dataset.query = query;
  document.body.dataset.state = "shown";
}

/** What is asked, as the address and the service have it. */
function asking() {
  const parameters = new URLSearchParams();
  for (const [name, value] of new FormData(form)) {
    if (value.trim()) {
      parameters.set(name, value.trim());
    }
  }
  return parameters;
}

/** Fills the form and the page in from the address. */
function read() {
  const parameters = new URLSearchParams(location.search);
  for (const field of form.elements) {
    if (field.name) {
      field.value = parameters.get(field.name) || "";
    }
  }
  const number = Number(parameters.get("page"));
  page = Number.isInteger(number) && number >= 1 && number <= LAST_PAGE ? number : 1;
}

/** Has the address name what is shown; a step of the history each, but for what is typed. */
function write(step) {
  const parameters = asking();
  if (page > 1) {
    parameters.set("page", page);
  }
  const address = parameters.size === 0 ? location.pathname : "?" + parameters;
  if (step) {
    history.pushState(null, "", address);
  } else {
    history.replaceState(null, "", address);
  }
}

function turn(to) {
  page = to;
  write(true);
  search();
}

async function search() {
  const number = ++asked;
  const parameters = asking();
  if (page > 1) {
    parameters.set("offset", (page - 1) * LIMIT);
  }
  document.body.dataset.state = "searching";
  try {
    const response = await fetch("search?" + parameters);
    const answer = await response.json();
    if (number !== asked) {
      return;
    }
    if (!response.ok) {
      throw new Error(answer.detail);
    }
    show(answer, parameters.get("q") || "");
  } catch (problem) {
    if (number === asked) {
      results.replaceChildren();
      pages.hidden = true;
      status.textContent = `The search did not work: ${problem.message}`;
      document.body.dataset.state = "failed";
    }
  }
}

form.addEventListener("input", () => {
  clearTimeout(timer);
  page = 1;
  timer = setTimeout(() => {
    write(false);
    search();
  }, PAUSE);
});
form.addEventListener("submit", event => {
  event.preventDefault();
  clearTimeout(timer);
  turn(1);
});
previous.addEventListener("click", () => turn(page - 1));
next.addEventListener("click", () => turn(page + 1));
addEventListener("popstate", () => {
  clearTimeout(timer);
  read();
  search();
});
read();
search();
