for (const details of all("details")) details.open = true;
const width = window.innerWidth;
const findings = [];
const page = document.documentElement.scrollWidth;
if (page > width) findings.push(`the page is ${page} px wide, the window ${width} px`);
// Boxes that scroll by themselves, or that cut off what does not fit on purpose, may hold more.
const boxed = (element) => {
  for (let box = element.parentElement; box && box !== document.body; box = box.parentElement) {
    if (box.localName === "svg" || getComputedStyle(box).overflowX !== "visible") return true;
  }
  return false;
};
const wide = (element) => element.getBoundingClientRect().right > width + 0.5;
const found = all("body *").filter((element) => visible(element) && wide(element) && !boxed(element));
// Only the outermost of those that stick out.
const outer = found.filter((element) => !found.includes(element.parentElement));
findings.push(...outer.map((element) =>
  `${name(element)} reaches to ${Math.round(element.getBoundingClientRect().right)} px`));
return findings;
