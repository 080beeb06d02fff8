const wanted = ["answer", "claims", "results", "backends", "method", "machine"];
const findings = wanted
  .filter((id) => !document.querySelector(`section#${id}`))
  .map((id) => `no section "${id}"`);
const linked = new Set(all("nav a[href^='#']").map((link) => link.getAttribute("href").slice(1)));
if (linked.size === 0) findings.push("no <nav> with links");
for (const section of all("section[id]")) {
  if (!section.querySelector("h1, h2, h3, h4")) findings.push(`section "${section.id}" has no title`);
  // A section within another is reached by that one.
  if (section.parentElement.closest("section[id]")) continue;
  if (!linked.has(section.id)) findings.push(`<nav> has no link to section "${section.id}"`);
}
return findings;
