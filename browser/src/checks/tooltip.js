const marks = (svg) => all("[data-mark]", svg).filter((mark) => mark.querySelector(":scope > title"));
const drawings = all("svg").filter((svg) => visible(svg) && marks(svg).length > 0);

// A place in the window where a mark of this drawing lies uncovered, and the mark's text.
const target = (drawing) => {
  for (const mark of marks(drawings[drawing])) {
    for (const shape of all(":scope > :not(title)", mark)) {
      shape.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
      const box = shape.getBoundingClientRect();
      const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
      const found = document.elementFromPoint(x, y)?.closest("[data-mark]");
      if (found === mark) return { x, y, said: mark.querySelector(":scope > title").textContent.trim() };
    }
  }
  return null;
};
