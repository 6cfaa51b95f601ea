// The token for commands, and the dialog that confirms them. The token stays in this tab and is sent with commands only.
import { byId, element, write } from "./dom.js";

const KEY = "spream-token";
const NAME_KEY = "spream-actor";
const TIMEOUT = 60000;

const memory = new Map(); // where the storage of the browser is disabled
const get = (key) => {
  try {
    return sessionStorage.getItem(key) ?? "";
  } catch {
    return memory.get(key) ?? "";
  }
};
const set = (key, value) => {
  try {
    value ? sessionStorage.setItem(key, value) : sessionStorage.removeItem(key);
  } catch {
    memory.set(key, value);
  }
};

const listeners = [];

/** Whether commands can be sent. */
export const unlocked = () => get(KEY) !== "";

/** Calls the listener when a token was entered or forgotten. */
export const onAccess = (listener) => listeners.push(listener);

function changed() {
  const open = unlocked();
  byId("token-form").hidden = open;
  byId("token-known").hidden = !open;
  write(byId("token-actor"), get(NAME_KEY) || "page");
  document.body.dataset.commands = open ? "unlocked" : "locked";
  listeners.forEach((listener) => listener());
}

/** Shows the form for the token, if this process has commands. */
export function startAccess(hasCommands) {
  byId("access").hidden = !hasCommands;
  if (!hasCommands) {
    return;
  }
  byId("actor").value = get(NAME_KEY);
  byId("token-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const token = byId("token").value.trim();
    byId("token").value = "";
    if (token) {
      set(KEY, token);
      set(NAME_KEY, byId("actor").value.trim());
      changed();
    }
  });
  byId("forget").addEventListener("click", forget);
  byId("confirm").addEventListener("close", closed);
  changed();
}

function forget() {
  set(KEY, "");
  changed();
  byId("token").focus();
}

/**
 * Asks for confirmation and sends a command. Resolves to its outcome, or to null if it was cancelled.
 *
 * @param question title, text, the label of the button, whether a reason is asked for, and whether it loses something
 */
export async function command(path, values, question) {
  const reason = await confirmed(question);
  if (reason === null) {
    return null;
  }
  let outcome;
  try {
    outcome = await send(path, question.reason ? { ...values, reason } : values);
  } catch (error) {
    outcome = { done: false, text: `No answer (${error.message}); it is unknown whether the command was run.` };
  }
  write(byId("outcome-text"), outcome.text);
  byId("outcome").dataset.done = String(outcome.done);
  byId("outcome").hidden = false;
  return outcome;
}

async function send(path, values) {
  const response = await fetch(path, {
    method: "POST",
    headers: { Authorization: `Bearer ${get(KEY)}`, "Content-Type": "application/json" },
    body: JSON.stringify({ ...values, actor: get(NAME_KEY) }),
    cache: "no-store",
    signal: AbortSignal.timeout(TIMEOUT),
  });
  if (response.status === 401) {
    forget();
  }
  return response.ok ? response.json() : { done: false, text: (await response.text()).trim() };
}

function confirmed({ title, text, label, reason, loses, items = [] }) {
  const dialog = byId("confirm");
  write(byId("confirm-title"), title);
  write(byId("confirm-text"), text);
  byId("confirm-items").replaceChildren(...items.map((item) => element("li", {}, item)));
  byId("confirm-reason").hidden = !reason;
  byId("reason").required = Boolean(reason);
  byId("reason").value = "";
  write(byId("confirm-yes"), label);
  byId("confirm-yes").dataset.loses = String(Boolean(loses));
  settle(null);
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => (settle = resolve));
}

let settle = () => {}; // ends the question that is open

/** Ends the question when its dialog is closed; the event may come after another one was opened. */
function closed() {
  const dialog = byId("confirm");
  if (!dialog.open) {
    settle(dialog.returnValue === "yes" ? byId("reason").value.trim() : null);
  }
}

/** A button for a command; it exists only while there is a token. */
export function button(label, run, accessibleName) {
  const made = element("button", { type: "button", class: "command", "aria-label": accessibleName ?? null }, label);
  made.addEventListener("click", async () => {
    made.disabled = true;
    try {
      await run();
    } finally {
      made.disabled = false;
    }
  });
  return made;
}
