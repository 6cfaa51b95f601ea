// Polls a state of the server: in its period, less often while the page is hidden or the server does not respond.

const PERIOD = 1000;
const HIDDEN_PERIOD = 10000;
const LONGEST_WAIT = 15000;
const TIMEOUT = 5000;

/**
 * Calls answered(json) or failed(error) after each request, as long as it is wanted. Never ends. Returns a handle whose
 * now() asks at once.
 */
export function poll(address, answered, failed, { period = PERIOD, wanted = () => true } = {}) {
  let timer = 0;
  let asking = false;
  let failures = 0;

  async function ask() {
    clearTimeout(timer);
    if (asking) {
      return;
    }
    if (!wanted()) {
      timer = setTimeout(ask, period);
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
      throw Object.assign(new Error(`the worker responded with ${response.status}`), { missing: response.status === 404 });
    }
    return response.json();
  }

  function pause() {
    const usual = document.hidden ? Math.max(period, HIDDEN_PERIOD) : period;
    return Math.max(usual, Math.min(LONGEST_WAIT, failures ? PERIOD * 2 ** (failures - 1) : 0));
  }

  document.addEventListener("visibilitychange", () => document.hidden || ask());
  window.addEventListener("online", ask);
  ask();
  return { now: ask };
}
