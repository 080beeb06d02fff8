const section = document.getElementById("peers");
// Most records have none.
if (!section) return [];
const findings = [];
const peers = all("tbody th", section).map((head) => head.textContent.trim());
if (peers.length === 0) findings.push("the table of peers has no rows");
const legend = all("#backends tbody th").map((head) => head.textContent.trim());
for (const peer of peers) {
  if (!rows().some((row) => row.dataset.backend === peer)) findings.push(`${peer} has no row in the main table`);
  if (legend.includes(peer)) findings.push(`${peer} is in the table of backends`);
}
const drawn = all("svg [data-mark^='bar:']", section).map((mark) => mark.dataset.mark.slice("bar:".length));
if (drawn.length === 0) findings.push("no peer is drawn");
for (const label of new Set(drawn)) {
  if (!rows().some((row) => row.dataset.config === label)) findings.push(`${label} is drawn, but has no row`);
}
return findings;
