const marks = (svg) => all("[data-mark]", svg).filter((mark) => mark.querySelector(":scope > title"));
const drawings = all("svg").filter((svg) => visible(svg) && marks(svg).length > 0);

// Places in the window where a shape may be touched: its middle, and along its line.
const places = (shape) => {
  const { x, y, width, height } = shape.getBoundingClientRect();
  const length = shape.getTotalLength?.() ?? 0;
  const along = [0.1, 0.3, 0.5, 0.7, 0.9].map((part) =>
    shape.getPointAtLength?.(part * length).matrixTransform(shape.getScreenCTM()));
  return [{ x: x + width / 2, y: y + height / 2 }, ...along.filter((place) => place)];
};

// A place in the window where a mark of this drawing lies uncovered, and the mark's text.
const target = (drawing) => {
  for (const mark of marks(drawings[drawing])) {
    for (const shape of all(":scope > :not(title)", mark)) {
      shape.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
      for (const { x, y } of places(shape)) {
        const found = document.elementFromPoint(x, y)?.closest("[data-mark]");
        const said = mark.querySelector(":scope > title").textContent.trim();
        if (found === mark) return { x, y, said };
      }
    }
  }
  return null;
};
