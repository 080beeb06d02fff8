const select = document.getElementById("baseline");
if (!select) return ["no control to choose the baseline"];
if (!visible(select)) return ["the control stays hidden"];
if (rows().length === 0) return ["the main table has no rows"];

const findings = [];
const labels = [...select.options].map((option) => option.value);
const first = select.value;
const number = (text) => text.match(/\d+(\.\d+)?/)?.[0];
const read = () => ({
  rows: new Map(rows().map((row) => {
    const ratio = cell(row, "ratio");
    const told = { value: ratio?.dataset.value ?? "", text: ratio?.textContent.trim() ?? "" };
    return [`${row.dataset.config}\n${row.dataset.n}`, { ...told, verdict: cell(row, "verdict")?.textContent.trim() }];
  })),
  marks: all("svg [data-mark^='ratio:']").map((mark) => [
    mark.dataset.mark.slice("ratio:".length),
    mark.querySelector("text")?.textContent.trim() ?? "",
  ]),
});

const before = read();
const known = ratios();
const seen = new Map();
for (const label of labels) {
  choose(select, label);
  const now = read();
  seen.set(label, now.rows);
  const said = document.documentElement.dataset.baseline;
  if (said !== label) findings.push(`${label}: the page says its baseline is "${said}"`);
  for (const row of rows()) {
    const { config, n } = row.dataset;
    const { value, text, verdict } = now.rows.get(`${config}\n${n}`);
    const where = `${config} over ${label}, n = ${n}`;
    if (config === label) {
      if (value !== "" && Number(value) !== 1) findings.push(`${where}: ${value}`);
      continue;
    }
    const wanted = known(config, label, n);
    if (wanted ? Number(value) !== wanted.value || value === "" : value !== "") {
      findings.push(`${where}: the table has "${value}", the data ${wanted?.value}`);
    }
    if (wanted && text !== wanted.text) findings.push(`${where}: "${text}", not "${wanted.text}"`);
    if (wanted && verdict !== wanted.verdict) {
      findings.push(`${where}: "${verdict}", not "${wanted.verdict}"`);
    }
  }
  // The drawing tells of one n, the one at which its texts and the table's agree throughout.
  const sizes = [...new Set(rows().map((row) => row.dataset.n))];
  const agree = (n) => now.marks.every(([config, text]) => {
    const told = now.rows.get(`${config}\n${n}`);
    return told && number(told.text) === number(text);
  });
  if (!sizes.some(agree)) findings.push(`${label}: the drawing's ratios are not the table's`);
}
if (before.marks.length === 0) findings.push("no drawing tells ratios");
if (labels.length > 1) {
  // A ratio turned round is its inverse.
  for (const [label, told] of seen) {
    for (const [other, back] of seen) {
      for (const n of new Set(rows().map((row) => row.dataset.n))) {
        const [there, here] = [told.get(`${other}\n${n}`)?.value, back.get(`${label}\n${n}`)?.value];
        if (there && here && Math.abs(there * here - 1) > 0.01) {
          findings.push(`${other} over ${label} is ${there}, turned round ${here}`);
        }
      }
    }
  }
}
choose(select, first);
if (JSON.stringify([...before.rows]) !== JSON.stringify([...read().rows])) {
  findings.push("the table is not as before when the first baseline is chosen again");
}
if (JSON.stringify(before.marks) !== JSON.stringify(read().marks)) {
  findings.push("the drawing is not as before when the first baseline is chosen again");
}
return findings;
