// The functions that change the document. Names of partitions and workers, and messages, are untrusted: they become
// text and attribute values, never markup.

const SVG = "http://www.w3.org/2000/svg";

export const byId = (id) => document.getElementById(id);

export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  assign(made, attributes);
  made.append(...children);
  return made;
}

export function shape(name, attributes = {}) {
  const made = document.createElementNS(SVG, name);
  assign(made, attributes);
  return made;
}

/** Sets attributes that changed; null and undefined remove one. */
export function assign(target, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined) {
      target.removeAttribute(name);
    } else if (target.getAttribute(name) !== String(value)) {
      target.setAttribute(name, String(value));
    }
  }
}

export function write(target, text) {
  if (target.textContent !== text) {
    target.textContent = text;
  }
}

/**
 * Makes the children of a parent follow a list, one for each item and in its order. A child stays the same element as
 * long as its key does, so that focus, selection and animations survive.
 */
export function follow(parent, items, key, make, update) {
  const old = new Map();
  for (const child of parent.children) {
    old.set(child.followKey, child);
  }
  const kept = new Set();
  let place = parent.firstElementChild;
  for (const item of items) {
    const name = key(item);
    let child = old.get(name);
    if (child) {
      old.delete(name);
    } else {
      child = make(item);
      child.followKey = name;
    }
    update(child, item);
    kept.add(child);
    if (child === place) {
      place = place.nextElementSibling;
    } else {
      parent.insertBefore(child, place);
    }
  }
  for (const child of [...parent.children]) {
    kept.has(child) || child.remove();
  }
}
