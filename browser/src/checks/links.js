return all("a[href^='#']")
  .map((link) => link.getAttribute("href"))
  .filter((href) => !document.getElementById(decodeURIComponent(href.slice(1))))
  .map((href) => `no target of "${href}"`);
