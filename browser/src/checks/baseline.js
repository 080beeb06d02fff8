const select = document.getElementById("baseline");
if (!select) return ["no control to choose the baseline"];
if (!visible(select)) return ["the control stays hidden"];
if (rows().length === 0) return ["the main table has no rows"];

const findings = [];
const { drawn, same, together, find } = ratios();
const first = select.value;
const number = (text) => text.match(/\d+(\.\d+)?/)?.[0];
const of = (row) => {
  const text = (column) => cell(row, column)?.textContent.trim() ?? "";
  const { value } = cell(row, "ratio")?.dataset ?? {};
  return { config: row.dataset.config, n: row.dataset.n, value, text: text("ratio"), verdict: text("verdict") };
};
const marks = () => all("svg [data-mark^='ratio:']").map((mark) => ({
  config: mark.dataset.mark.slice("ratio:".length),
  text: mark.querySelector("text")?.textContent.trim() ?? "",
}));
const page = () => JSON.stringify([rows().map(of), marks()]);

const before = page();
const seen = new Map();
for (const { value: label } of select.options) {
  choose(select, label);
  const said = document.documentElement.dataset.baseline;
  if (said !== label) findings.push(`${label}: the page says its baseline is "${said}"`);
  for (const { config, n, value, text, verdict } of rows().map(of)) {
    const where = `${config} over ${label}, n = ${n}`;
    seen.set([config, label, n].join("\n"), value);
    if (same(config, label)) {
      if (value !== "" && Number(value) !== 1) findings.push(`${where}: ${value}`);
      continue;
    }
    const wanted = find(config, label, n) ?? { value: "", text: "-", verdict: "-" };
    const agree = value === "" ? wanted.value === "" : Number(value) === wanted.value;
    if (!agree) findings.push(`${where}: the table has "${value}", the data "${wanted.value}"`);
    if (text !== wanted.text) findings.push(`${where}: "${text}", not "${wanted.text}"`);
    if (verdict !== wanted.verdict) findings.push(`${where}: "${verdict}", not "${wanted.verdict}"`);
    // A ratio turned round is its inverse, to the digits that are told.
    const back = seen.get([label, config, n].join("\n"));
    if (together(config, label, n) && back && value && Math.abs(back * value - 1) > 1e-6) {
      findings.push(`${where} is ${value}, turned round ${back}`);
    }
  }
  for (const { config, text } of marks()) {
    const row = rows().map(of).find((row) => row.config === config && row.n === drawn);
    if (!row || number(row.text) !== number(text)) {
      findings.push(`${config} over ${label}: drawn as "${text}", in the table "${row?.text}"`);
    }
  }
}
if (marks().length === 0) findings.push("no drawing tells ratios");
choose(select, first);
if (page() !== before) findings.push("not all is as before when the first baseline is chosen again");
return findings;
