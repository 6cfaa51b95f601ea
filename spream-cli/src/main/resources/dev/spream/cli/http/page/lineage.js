// The vertical position of each partition: concurrent partitions have different lanes, which are reused when free. A
// partition keeps its lane between updates, so that the graph does not jump.

const GAP = 0.012; // minimum distance of two partitions on one lane, as a share of the time shown

/** The newest partitions, with their times as numbers and their place on a lane. */
export function layout(partitions, remembered, window, now) {
  const shown = [...partitions].sort((one, other) => one.created - other.created || (one.token < other.token ? -1 : 1));
  const first = window ? now - window * 1000 : Math.min(now - 1000, ...shown.map((partition) => partition.created));
  const visible = shown.filter((partition) => (partition.finished ?? now) >= first);
  const lanes = occupy(visible, remembered, (now - first) * GAP);
  const bars = new Map();
  for (const partition of visible) {
    bars.set(partition.token, bar(partition, lanes.get(partition.token), bars, first, now));
  }
  return { first, now, bars, edges: edges(bars), height: 1 + Math.max(0, ...lanes.values()) };
}

function occupy(visible, remembered, gap) {
  const lanes = new Map();
  const last = []; // by lane: the last partition and its end
  for (const partition of visible) {
    const lane = remembered.get(partition.token) ?? choose(partition, lanes, last, gap);
    lanes.set(partition.token, lane);
    last[lane] = { token: partition.token, end: partition.finished ?? Infinity };
  }
  remembered.clear();
  lanes.forEach((lane, token) => remembered.set(token, lane));
  return lanes;
}

function choose(partition, lanes, last, gap) {
  const parents = partition.continues.filter((token) => lanes.has(token));
  const inherited = parents.find((token) => last[lanes.get(token)]?.token === token && last[lanes.get(token)].end < Infinity);
  if (inherited !== undefined) {
    return lanes.get(inherited);
  }
  const wish = parents.length ? lanes.get(parents[0]) : 0;
  for (let distance = 0; distance <= last.length; distance++) {
    for (const lane of [wish + distance, wish - distance]) {
      if (lane >= 0 && (last[lane]?.end ?? -Infinity) + gap <= partition.created) {
        return lane;
      }
    }
  }
  return last.length;
}

function bar(partition, lane, bars, first, now) {
  const to = partition.finished ?? now;
  const before = partition.continues
    .map((token) => bars.get(token))
    .filter((parent) => parent && parent.lane === lane)
    .map((parent) => parent.to);
  const from = Math.min(to, Math.max(first, partition.created, ...before));
  const runs = partition.running === null ? to : Math.min(to, Math.max(from, partition.running));
  const settled = partition.finished === null ? Math.min(to, Math.max(runs, partition.settled)) : to;
  return { partition, lane, from, runs, settled, to };
}

function edges(bars) {
  const found = [];
  for (const child of bars.values()) {
    for (const token of child.partition.continues) {
      const parent = bars.get(token);
      if (parent) {
        found.push({ parent, child });
      }
    }
  }
  return found;
}

/** Times to label on the axis: a few round ones. */
export function ticks(first, now, most) {
  const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400, 604800, 2592000];
  const step = 1000 * (steps.find((candidate) => (now - first) / (candidate * 1000) <= most) ?? 31536000);
  const found = [];
  for (let at = Math.ceil(first / step) * step; at <= now; at += step) {
    found.push(at);
  }
  return found;
}
