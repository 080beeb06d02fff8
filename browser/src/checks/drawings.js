// Smaller letters than this, in pixels, cannot be read.
const SMALLEST = 8;
// A text's box has room for accents above and for the deepest descenders: that much of its height is
// empty at either end, and may lie over another's.
const AIR = 0.14;

// The four corners of a text on the screen, turned as it is turned.
const corners = (text) => {
  const { x, y, width, height } = text.getBBox();
  const matrix = text.getScreenCTM();
  const [left, right] = [x + AIR / 4 * height, x + width - AIR / 4 * height];
  const [top, bottom] = [y + AIR * height, y + (1 - AIR) * height];
  return [[left, top], [right, top], [right, bottom], [left, bottom]].map(([px, py]) =>
    new DOMPoint(px, py).matrixTransform(matrix));
};
// Two convex shapes are apart if an edge of one has the other wholly on its far side.
const apart = (a, b) =>
  a.some((from, i) => {
    const to = a[(i + 1) % a.length];
    const side = (p) => (to.x - from.x) * (p.y - from.y) - (to.y - from.y) * (p.x - from.x);
    return b.every((p) => side(p) <= 0);
  });

const findings = [];
const drawings = all("svg").filter((svg) => !svg.parentElement.closest("svg") && visible(svg));
if (drawings.length === 0) findings.push("no drawing is shown");
for (const svg of drawings) {
  const where = svg.closest("section[id]")?.id ?? "a drawing";
  const edge = svg.getBoundingClientRect();
  const texts = all("text", svg)
    .filter((text) => visible(text) && text.textContent.trim())
    .map((text) => ({ text, said: short(text.textContent), box: corners(text) }));
  texts.forEach(({ text, said, box }, i) => {
    const matrix = text.getScreenCTM();
    const size = parseFloat(getComputedStyle(text).fontSize) * Math.hypot(matrix.b, matrix.d);
    if (size < SMALLEST) findings.push(`${where}: "${said}" is ${size.toFixed(1)} px high`);
    const cut = box.some(({ x, y }) =>
      x < edge.left - 1 || x > edge.right + 1 || y < edge.top - 1 || y > edge.bottom + 1);
    if (cut) findings.push(`${where}: "${said}" is cut off`);
    for (const other of texts.slice(i + 1)) {
      if (!apart(box, other.box) && !apart(other.box, box)) {
        findings.push(`${where}: "${said}" overlaps "${other.said}"`);
      }
    }
  });
}
return findings;
