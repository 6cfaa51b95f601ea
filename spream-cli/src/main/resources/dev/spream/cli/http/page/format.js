// Formats numbers, times and names.

const TIME = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });
const DAY = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric" });
const COUNT = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 });

export const zone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

export const count = (number) => COUNT.format(number);

export const plural = (number, noun, nouns = `${noun}s`) => `${count(number)} ${number === 1 ? noun : nouns}`;

/** Two units at most: 850 ms, 4.2 s, 3 min 20 s, 5 h 2 min, 6 d 4 h. */
export function seconds(value) {
  if (value === null || value === undefined) {
    return "–";
  }
  if (value < 0) {
    return `-${seconds(-value)}`;
  }
  if (value < 0.9995) {
    return `${Math.round(value * 1000)} ms`;
  }
  if (value < 9.95) {
    return `${value.toFixed(1)} s`;
  }
  const whole = Math.round(value);
  if (whole < 60) {
    return `${whole} s`;
  }
  if (whole < 3600) {
    return pair(whole, 60, "min", 1, "s");
  }
  return whole < 86400 ? pair(whole, 3600, "h", 60, "min") : pair(whole, 86400, "d", 3600, "h");
}

/** A duration in tenths of a second if it is short, so that a value that changes every second keeps its unit. */
export const steady = (value) => (value !== null && Math.abs(value) < 9.95 ? `${value.toFixed(1)} s` : seconds(value));

/** The time since an instant, by the clock of the server. */
export const ago = (instant, now) => (instant ? seconds(Math.max(0, Math.round((new Date(now) - new Date(instant)) / 1000))) : "–");

function pair(whole, big, bigName, small, smallName) {
  const rest = Math.floor((whole % big) / small);
  return `${count(Math.floor(whole / big))} ${bigName}${rest ? ` ${rest} ${smallName}` : ""}`;
}

export function rate(perSecond) {
  if (perSecond === null || perSecond === undefined) {
    return "–";
  }
  return perSecond >= 10 || perSecond === 0 ? count(perSecond) : perSecond.toFixed(1);
}

/** The time of day, with the date unless it is today. */
export function time(instant, now = new Date()) {
  if (!instant) {
    return "–";
  }
  const date = new Date(instant);
  if (Number.isNaN(date.getTime())) {
    return String(instant);
  }
  const sameDay = date.toDateString() === now.toDateString();
  return sameDay ? TIME.format(date) : `${DAY.format(date)}, ${TIME.format(date)}`;
}

/** A shortened token; the title of the row has the whole one. */
export function shortToken(token) {
  const name = String(token);
  return name.length <= 14 ? name : `${name.slice(0, 8)}…${name.slice(-4)}`;
}

export function shortWorker(worker) {
  const name = String(worker);
  return name.length <= 24 ? name : `${name.slice(0, 12)}…${name.slice(-8)}`;
}

export const words = (name) => String(name).toLowerCase().replaceAll("_", " ");
