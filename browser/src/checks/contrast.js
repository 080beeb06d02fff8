const LEAST = 4.5;

// Any colour that CSS can write, as four numbers from 0 to 1.
const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
const known = new Map();
const parse = (colour) => {
  if (!known.has(colour)) {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    known.set(colour, [...canvas.getImageData(0, 0, 1, 1).data].map((part) => part / 255));
  }
  return known.get(colour);
};
const over = ([r, g, b, a], below) => [r, g, b].map((part, i) => part * a + below[i] * (1 - a));

// WCAG 2: relative luminance, and the contrast of two.
const luminance = (colour) => {
  const linear = colour.map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
};
const contrast = (a, b) => {
  const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
};

// The canvas of the page where nothing is painted.
const dark = matchMedia("(prefers-color-scheme: dark)").matches;
const scheme = getComputedStyle(document.documentElement).colorScheme;
const bare = dark && /dark/.test(scheme) ? [0.07, 0.07, 0.07] : [1, 1, 1];

// What lies behind an element's text; nothing where a filter or a picture changes it.
const behind = (element) => {
  const style = getComputedStyle(element);
  if (style.filter !== "none" || style.backgroundImage !== "none") return undefined;
  const below = element.parentElement ? behind(element.parentElement) : bare;
  return below && over(parse(style.backgroundColor), below);
};
const opacity = (element) =>
  (element ? Number(getComputedStyle(element).opacity) * opacity(element.parentElement) : 1);

const findings = new Map();
let looked = 0;
const hasText = (element) =>
  [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim()) ||
  ["input", "select"].includes(element.localName);
for (const element of all("body, body *:not(svg, svg *, script, style, option)")) {
  if (!hasText(element) || !visible(element) || element.disabled) continue;
  const ground = behind(element);
  if (!ground) continue;
  looked += 1;
  const [r, g, b, a] = parse(getComputedStyle(element).color);
  const found = contrast(over([r, g, b, a * opacity(element)], ground), ground);
  const kind = `${element.localName}.${element.className} ${getComputedStyle(element).color} ${ground}`;
  if (found < LEAST) findings.set(kind, `${dark ? "dark" : "light"}: ${found.toFixed(2)}:1 of ${name(element)}`);
}
if (looked < 10) findings.set("few", `${dark ? "dark" : "light"}: only ${looked} texts could be looked at`);
return [...findings.values()];
