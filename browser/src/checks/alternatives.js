const findings = [];
const referred = (element, attribute) =>
  (element.getAttribute(attribute) ?? "")
    .split(/\s+/)
    .map((id) => document.getElementById(id)?.textContent ?? "")
    .join(" ");
const named = (element, ...texts) =>
  [element.getAttribute("aria-label"), referred(element, "aria-labelledby"), ...texts]
    .some((text) => text?.trim());
const hidden = (element) => element.closest("[aria-hidden='true']");

for (const image of all("img")) {
  if (!image.hasAttribute("alt")) findings.push(`an image has no alt: ${short(image.src)}`);
}
for (const svg of all("svg").filter((svg) => !svg.parentElement.closest("svg") && !hidden(svg))) {
  if (svg.getAttribute("role") !== "img") findings.push(`a drawing has no role "img": ${name(svg)}`);
  if (!named(svg, svg.querySelector(":scope > title")?.textContent)) {
    findings.push(`a drawing has no name: ${name(svg)}`);
  }
}
for (const table of all("table")) {
  if (!named(table, table.caption?.textContent)) findings.push(`a table has no name: ${name(table)}`);
}
for (const control of all("input, select, textarea")) {
  const labels = [...(control.labels ?? [])].map((label) => label.textContent);
  if (!named(control, control.title, ...labels)) {
    findings.push(`a control has no name: ${name(control)}`);
  }
}
for (const button of all("button, a[href]")) {
  if (!named(button, button.textContent, button.title)) findings.push(`no text: ${name(button)}`);
}
if (!document.documentElement.lang) findings.push("the page does not say its language");
if (!document.title.trim()) findings.push("the page has no title");
return findings;
