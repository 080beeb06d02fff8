const findings = [];
const background = [document.body, document.documentElement]
  .map((element) => getComputedStyle(element).backgroundColor)
  .find((colour) => colour !== "rgba(0, 0, 0, 0)") ?? "rgb(255, 255, 255)";
const [red, green, blue] = (background.match(/[\d.]+/g) ?? []).map(Number);
if (!(Math.min(red, green, blue) >= 240)) findings.push(`the paper is ${background}`);
const isHead = (element) => element.localName === "button" && element.closest("th");
const controls = all("input, select, textarea, button").filter((e) => visible(e) && !isHead(e));
findings.push(...controls.map((element) => `a control: ${name(element)}`));
if (!all("svg").some(visible)) findings.push("no drawing is shown");
if (!rows().some(visible)) findings.push("the main table shows no rows");
return findings;
