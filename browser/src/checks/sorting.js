const COLUMNS = [
  "backend", "n", "time", "interval", "ratio", "verdict", "ns-per-cell", "instructions-per-cell",
  "heap-peak", "rss-peak", "space-overhead", "collections", "pause-max", "spread", "samples",
];
// Texts may be in any of the usual orders, as long as it is one of them.
const ORDERS = [
  (a, b) => (a < b ? -1 : Number(a > b)),
  (a, b) => a.localeCompare(b),
  (a, b) => a.localeCompare(b, undefined, { numeric: true }),
];

// The value that a row is sorted by; nothing where it is unknown.
const value = (row, column) => {
  const found = cell(row, column);
  const told = found?.dataset.value ?? found?.textContent.trim() ?? "";
  return ["", "-", "–"].includes(told) ? undefined : told;
};

// The first two values in the wrong order; nothing where all are right.
const wrong = (values, sign) => {
  const unknown = values.indexOf(undefined);
  const known = values.slice(0, unknown < 0 ? values.length : unknown);
  if (values.slice(known.length).some((told) => told !== undefined)) return "unknown values first";
  const pair = (order) => known.findIndex((told, i) => i > 0 && sign * order(known[i - 1], told) > 0);
  const numbers = known.every((told) => Number.isFinite(Number(told)));
  const orders = numbers ? [(a, b) => Number(a) - Number(b)] : ORDERS;
  const found = orders.map(pair);
  return found.some((i) => i < 0) ? undefined : `"${known[found[0] - 1]}" before "${known[found[0]]}"`;
};

const findings = [];
const heads = all("#numbers > thead th[data-col]");
const before = rows();
if (before.length === 0) findings.push("the main table has no rows");
for (const column of COLUMNS) {
  const head = heads.find((other) => other.dataset.col === column);
  const button = head?.querySelector("button");
  if (!button) {
    findings.push(`${column}: no button to sort by`);
    continue;
  }
  for (const [direction, sign] of [["ascending", 1], ["descending", -1]]) {
    button.click();
    const now = rows();
    const told = heads.filter((other) => /scending/.test(other.getAttribute("aria-sort")));
    if (told.length !== 1 || head.getAttribute("aria-sort") !== direction) {
      findings.push(`${column}: aria-sort does not say ${direction}`);
    }
    if (now.length !== before.length || new Set([...now, ...before]).size !== before.length) {
      findings.push(`${column}: rows were lost`);
    }
    const pair = wrong(now.map((row) => value(row, column)), sign);
    if (pair) findings.push(`${column}: ${direction}, but ${pair}`);
  }
}
return findings;
