const controls = document.getElementById("controls");
const [words, size, family] = ["filter", "filter-n", "filter-family"].map((id) =>
  document.getElementById(id));
const count = document.getElementById("filter-count");
if (!controls || !words || !size || !family || !count) return ["not all controls are there"];
if (!visible(controls)) return ["the controls stay hidden"];
if (rows().length === 0) return ["the main table has no rows"];

const findings = [];
const total = rows().length;
const text = (row) => row.textContent.toLowerCase();
const expect = (what, wanted) => {
  const wrong = rows().find((row) => visible(row) !== wanted(row));
  if (wrong) findings.push(`${what}: "${short(wrong.textContent)}" is ${wanted(wrong) ? "hidden" : "shown"}`);
  const told = `${rows().filter(wanted).length} of ${total} rows`;
  const said = count.textContent.trim();
  if (said !== told) findings.push(`${what}: says "${said}", not "${told}"`);
};

const values = (select) => [...select.options].map((option) => option.value).filter((value) => value);
const first = rows()[0].dataset;
const last = rows().at(-1).dataset;
expect("at first", () => true);
for (const search of [first.backend, `${last.n} ${last.backend}`, `${first.backend} no-such-word`]) {
  choose(words, search);
  expect(`"${search}"`, (row) => search.toLowerCase().split(/\s+/).every((word) => text(row).includes(word)));
}
choose(words, "");
for (const value of values(size)) {
  choose(size, value);
  expect(`n = ${value}`, (row) => row.dataset.n === value);
  choose(words, last.backend);
  expect(`n = ${value} and "${last.backend}"`, (row) =>
    row.dataset.n === value && text(row).includes(last.backend.toLowerCase()));
  choose(words, "");
}
choose(size, "");
for (const value of values(family)) {
  choose(family, value);
  expect(`family ${value}`, (row) => row.dataset.family === value);
}
choose(family, "");
expect("at last", () => true);
for (const [select, key] of [[size, "n"], [family, "family"]]) {
  const offered = new Set(values(select));
  const missing = rows().find((row) => !offered.has(row.dataset[key]));
  if (missing) findings.push(`no choice of ${key} "${missing.dataset[key]}"`);
}
return findings;
