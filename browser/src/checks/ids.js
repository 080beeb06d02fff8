const findings = [];
const ids = all("[id]").map((element) => element.id);
const twice = new Set(ids.filter((id, place) => ids.indexOf(id) !== place));
findings.push(...[...twice].map((id) => `id "${id}" is there ${ids.filter((other) => other === id).length} times`));
for (const attribute of ["for", "aria-labelledby", "aria-describedby", "aria-controls"]) {
  for (const element of all(`[${attribute}]`)) {
    const wanted = element.getAttribute(attribute).split(/\s+/).filter((id) => id);
    findings.push(...wanted
      .filter((id) => !document.getElementById(id))
      .map((id) => `${attribute} of <${element.localName}> names no element: "${id}"`));
  }
}
return findings;
