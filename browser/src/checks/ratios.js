// The page's own data: every ratio of two configurations, worked out when the page was made.
const ratios = () => {
  const data = JSON.parse(document.getElementById("ratios").textContent);
  const config = (label) => data.config_of[data.labels.indexOf(label)];
  const known = new Map();
  const paired = new Set();
  for (const { n, pairs } of data.blocks) {
    for (const [side, base, value, , , text, verdict] of pairs) {
      const key = [data.labels[side], data.config_of[base], n].join("\n");
      known.set(key, { value, text, verdict });
      paired.add([data.labels[side], data.labels[base], n].join("\n"));
    }
  }
  return {
    // The n that the drawing is of.
    drawn: String(data.charted_n),
    // Of several machines each has its own baseline, of the same configuration.
    same: (label, other) => config(label) === config(other),
    // Whether the two were measured beside each other.
    together: (label, other, n) => paired.has([label, other, n].join("\n")),
    find: (label, base, n) => known.get([label, config(base), n].join("\n")),
  };
};
