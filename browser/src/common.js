// What every script of a check may use.
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const visible = (element) =>
  element.getClientRects().length > 0 &&
  element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
const short = (text) => {
  const line = text.trim().replace(/\s+/g, " ");
  return line.length > 40 ? `${line.slice(0, 39)}…` : line;
};
const name = (element) => {
  const id = element.id ? `#${element.id}` : "";
  return `<${element.localName}${id}> "${short(element.textContent)}"`;
};

// The main table: its rows in order, and the cell of a row in a column.
const rows = () => all("#numbers > tbody > tr");
const cell = (row, column) => row.querySelector(`[data-col="${column}"]`);

// What a reader does with a control.
const choose = (control, value) => {
  control.value = value;
  control.dispatchEvent(new Event("input", { bubbles: true }));
  control.dispatchEvent(new Event("change", { bubbles: true }));
};
