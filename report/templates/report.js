"use strict";
// Sorting, filtering, another baseline, texts under the mouse. The page says all it has to say without.
(() => {
  const byId = (id) => document.getElementById(id);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const table = byId("numbers");
  const rows = table ? [...table.tBodies[0].rows] : [];
  const cell = (row, column) => row.querySelector(`[data-col="${column}"]`);

  // Sorting: up first, then down; unknown values last in both.
  const heads = all("thead th[data-col]", table ?? document.createElement("table"));
  const sort = (head, direction) => {
    const column = head.dataset.col;
    const sign = direction === "ascending" ? 1 : -1;
    const keyed = rows.map((row) => [cell(row, column).dataset.value, row]);
    const known = keyed.filter(([value]) => value !== "");
    const unknown = keyed.filter(([value]) => value === "");
    const numbers = known.every(([value]) => Number.isFinite(Number(value)));
    const order = numbers ? (a, b) => a - b : (a, b) => (a < b ? -1 : Number(a > b));
    known.sort(([a], [b]) => sign * order(a, b));
    for (const other of heads) {
      other.setAttribute("aria-sort", other === head ? direction : "none");
    }
    table.classList.add("sorted");
    table.tBodies[0].append(...[...known, ...unknown].map(([, row]) => row));
  };
  const sorted = () => heads.find((head) => head.getAttribute("aria-sort") !== "none");
  const resort = () => {
    const head = sorted();
    if (head) sort(head, head.getAttribute("aria-sort"));
  };
  for (const head of heads) {
    const button = head.querySelector("button");
    button.disabled = false;
    button.addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") === "ascending";
      sort(head, up ? "descending" : "ascending");
    });
  }

  // Filtering: rows that have all of the words, the size and the family.
  const controls = byId("controls");
  const filter = () => {
    const words = byId("filter").value.toLowerCase().split(/\s+/).filter((word) => word);
    const [n, family] = [byId("filter-n").value, byId("filter-family").value];
    let count = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      const shown =
        words.every((word) => text.includes(word)) &&
        (n === "" || row.dataset.n === n) &&
        (family === "" || row.dataset.family === family);
      row.hidden = !shown;
      count += Number(shown);
    }
    byId("filter-count").textContent = `${count} of ${rows.length} rows`;
  };
  if (controls) {
    controls.hidden = false;
    controls.addEventListener("input", filter);
    controls.addEventListener("submit", (event) => event.preventDefault());
  }

  // Another baseline: its ratios were worked out when the page was made.
  const data = JSON.parse(byId("ratios").textContent);
  const places = new Map(data.labels.map((label, place) => [label, place]));
  const selects = ["baseline", "baseline-again"].map(byId).filter((select) => select);
  const first = selects[0]?.value;
  const shownRatios = rows.map((row) => {
    const [ratio, verdict] = [cell(row, "ratio"), cell(row, "verdict")];
    const texts = [ratio, verdict].map((cell) => [cell.dataset.value, cell.textContent]);
    const timed = cell(row, "time").dataset.value !== "";
    return { n: Number(row.dataset.n), place: places.get(row.dataset.config), timed, ratio, verdict, texts };
  });
  const marks = (prefix) =>
    all("#time-per-backend svg [data-mark]")
      .filter((mark) => mark.dataset.mark.startsWith(prefix))
      .map((mark) => ({ mark, place: places.get(mark.dataset.mark.slice(prefix.length)) }));
  const drawn = marks("ratio:").map((found) => {
    const text = found.mark.querySelector("text");
    return { ...found, text, told: text?.textContent };
  });
  const lines = marks("line:");
  const heading = marks("baseline").map(({ mark }) => mark.querySelector("text")).filter((text) => text);
  const headed = heading.map((text) => text.textContent);
  const cut = (text, length) => (text.length > length ? `${text.slice(0, length - 1)}…` : text);
  const write = (cell, value, text) => {
    cell.dataset.value = value;
    cell.textContent = text;
  };

  // The ratios of all rows to the configuration of that label, by n and side.
  const ratiosTo = (config) => {
    const found = new Map();
    for (const { n, pairs } of data.blocks) {
      for (const [side, base, value, , , text, verdict] of pairs) {
        if (data.config_of[base] === config) found.set(`${n} ${side}`, { value, text, verdict });
      }
    }
    return found;
  };
  const compareWith = (label) => {
    const config = data.config_of[places.get(label)];
    const ratios = ratiosTo(config);
    const isBase = (place) => data.config_of[place] === config;
    for (const { n, place, timed, ratio, verdict, texts } of shownRatios) {
      const found = ratios.get(`${n} ${place}`);
      if (label === first) {
        write(ratio, ...texts[0]);
        write(verdict, ...texts[1]);
      } else if (isBase(place) && timed) {
        write(ratio, "1", "1 (baseline)");
        write(verdict, "", "-");
      } else {
        write(ratio, found?.value ?? "", found?.text ?? "-");
        write(verdict, found?.value ?? "", found?.verdict ?? "-");
      }
    }
    for (const { place, text, told } of drawn) {
      const found = ratios.get(`${data.charted_n} ${place}`);
      const other = isBase(place) ? "1" : (found?.text ?? "-");
      if (text) text.textContent = label === first ? told : other;
    }
    for (const { mark, place } of lines) {
      if (isBase(place)) mark.removeAttribute("visibility");
      else mark.setAttribute("visibility", "hidden");
    }
    heading.forEach((text, i) => {
      text.textContent = label === first ? headed[i] : cut(`relative to ${label}`, 20);
    });
    for (const name of all("[data-baseline-name]")) name.textContent = label;
    for (const select of selects) select.value = label;
    document.documentElement.dataset.baseline = label;
    if (["ratio", "verdict"].includes(sorted()?.dataset.col)) resort();
    if (controls) filter();
  };
  for (const shown of all("[data-scripted]")) shown.hidden = false;
  if (first !== undefined) document.documentElement.dataset.baseline = first;
  for (const select of selects) select.addEventListener("change", () => compareWith(select.value));

  // The text of the mark under the mouse, the finger or the focus.
  const tip = byId("tooltip");
  const texts = new Map();
  for (const drawing of all("svg")) {
    const told = all("[data-mark]", drawing).filter((mark) => mark.querySelector(":scope > title"));
    for (const mark of told) {
      texts.set(mark, mark.querySelector(":scope > title").textContent);
      mark.setAttribute("role", "img");
      mark.setAttribute("aria-label", texts.get(mark));
      mark.setAttribute("tabindex", mark === told[0] ? "0" : "-1");
    }
    // One stop of the tabulator for each drawing; arrows lead on within it.
    drawing.addEventListener("keydown", (event) => {
      const at = told.indexOf(event.target);
      const steps = { ArrowDown: at + 1, ArrowRight: at + 1, ArrowUp: at - 1, ArrowLeft: at - 1 };
      const to = { ...steps, Home: 0, End: told.length - 1 }[event.key];
      if (at < 0 || told[to] === undefined) return;
      event.preventDefault();
      told[at].setAttribute("tabindex", "-1");
      told[to].setAttribute("tabindex", "0");
      told[to].focus();
    });
  }
  let told = null;
  // While ours is shown the browser's own stays away: it would say the same again.
  const title = (mark, text) => {
    mark.querySelector(":scope > title").textContent = text;
  };
  const hide = () => {
    if (told) title(told, texts.get(told));
    told = null;
    tip.hidden = true;
  };
  const show = (mark, x, y) => {
    if (told !== mark) {
      hide();
      told = mark;
      tip.textContent = texts.get(mark);
      title(mark, "");
      tip.hidden = false;
    }
    const room = 8;
    const width = document.documentElement.clientWidth;
    const left = Math.min(x + 2 * room, width - tip.offsetWidth - room);
    const above = y - tip.offsetHeight - 2 * room;
    tip.style.left = `${Math.max(room, left)}px`;
    tip.style.top = `${above < room ? y + 2 * room : above}px`;
  };
  const markOf = (target) => {
    let mark = target?.closest?.("svg [data-mark]");
    while (mark && !texts.has(mark)) mark = mark.parentElement.closest("svg [data-mark]");
    return mark;
  };
  // Lines are thin: what is a few pixels off will do.
  const near = [-5, 0, 5].flatMap((x) => [-5, 0, 5].map((y) => [x, y]));
  const nearest = ({ target, clientX, clientY }) => {
    const mark = markOf(target);
    if (mark || !target.closest?.("svg")) return mark;
    const others = near.map(([x, y]) => markOf(document.elementFromPoint(clientX + x, clientY + y)));
    return others.find((other) => other);
  };
  const point = (event) => {
    const mark = nearest(event);
    if (mark) show(mark, event.clientX, event.clientY);
    else hide();
  };
  document.addEventListener("pointerover", point);
  document.addEventListener("pointermove", point);
  document.documentElement.addEventListener("pointerleave", (event) => {
    if (event.pointerType !== "touch") hide();
  });
  document.addEventListener("focusin", (event) => {
    const mark = markOf(event.target);
    if (!mark) return;
    const box = mark.getBoundingClientRect();
    show(mark, box.x + Math.min(box.width / 2, 120), box.y);
  });
  document.addEventListener("focusout", hide);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") hide();
  });
})();
