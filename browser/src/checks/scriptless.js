const findings = [];
const isHead = (element) => element.localName === "button" && element.closest("th");
const controls = all("input, select, textarea, button").filter((element) => visible(element));
const dead = controls.filter((element) => !isHead(element));
findings.push(...dead.map((element) => `a dead control: ${name(element)}`));
for (const button of controls.filter(isHead)) {
  const style = getComputedStyle(button);
  const flat = style.borderTopStyle === "none" || parseFloat(style.borderTopWidth) === 0;
  const clear = style.backgroundColor === "rgba(0, 0, 0, 0)" || style.backgroundColor === "transparent";
  if (!flat || !clear || style.cursor === "pointer") {
    findings.push(`a header looks like a button: ${name(button)}`);
    break;
  }
}
if (!rows().some(visible)) findings.push("the main table shows no rows");
if (!all("svg").some(visible)) findings.push("no drawing is shown");
for (const section of all("section[id]")) {
  const heads = all("h1, h2, h3, h4", section).filter(visible).map((head) => head.innerText.trim());
  const shown = heads.reduce((text, head) => text.replace(head, ""), section.innerText);
  if (!shown.trim() && !all("svg", section).some(visible)) {
    findings.push(`section "${section.id}" shows nothing`);
  }
}
return findings;
