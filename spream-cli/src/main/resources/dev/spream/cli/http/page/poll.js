// Polls the state of the worker: once a second, less often while the page is hidden or the worker does not respond.

const PERIOD = 1000;
const HIDDEN_PERIOD = 10000;
const LONGEST_WAIT = 15000;
const TIMEOUT = 5000;

/** Calls answered(json) or failed(error) after each request. Never ends. */
export function poll(address, answered, failed) {
  let timer = 0;
  let asking = false;
  let failures = 0;

  async function ask() {
    clearTimeout(timer);
    if (asking) {
      return;
    }
    asking = true;
    let answer = null;
    try {
      answer = await question();
      failures = 0;
    } catch (error) {
      failures++;
      failed(error);
    } finally {
      asking = false;
      timer = setTimeout(ask, pause());
    }
    if (answer) {
      answered(answer); // outside of try: an error there is not a failed request
    }
  }

  async function question() {
    const response = await fetch(address, { cache: "no-store", signal: AbortSignal.timeout(TIMEOUT) });
    if (!response.ok) {
      throw new Error(`the worker responded with ${response.status}`);
    }
    return response.json();
  }

  function pause() {
    const period = document.hidden ? HIDDEN_PERIOD : PERIOD;
    return Math.min(LONGEST_WAIT, Math.max(period, failures ? PERIOD * 2 ** (failures - 1) : 0));
  }

  document.addEventListener("visibilitychange", () => document.hidden || ask());
  window.addEventListener("online", ask);
  ask();
}
