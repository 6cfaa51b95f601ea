"use strict";

const form = document.getElementById("form");
const results = document.getElementById("results");
const status = document.getElementById("status");
const template = document.getElementById("result");
const PAUSE = 120; // ms without a key before a search

let timer = 0;
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
  const count = answer.results.length < answer.total ? `${total}, the first ${answer.results.length} shown` : total;
  status.textContent = answer.total === 0 ? "Nothing found." : `${count}, ${answer.took_ms.toFixed(1)} ms`;
  document.body.dataset.query = query;
  document.body.dataset.state = "shown";
}

async function search() {
  const number = ++asked;
  const parameters = new URLSearchParams();
  for (const [name, value] of new FormData(form)) {
    if (value.trim()) {
      parameters.set(name, value.trim());
    }
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
      status.textContent = `The search did not work: ${problem.message}`;
      document.body.dataset.state = "failed";
    }
  }
}

form.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(search, PAUSE);
});
form.addEventListener("submit", event => {
  event.preventDefault();
  clearTimeout(timer);
  search();
});
search();
