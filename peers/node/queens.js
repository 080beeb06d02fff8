// N-queens on immutable lists. A cell of the list is an object { head, tail },
// a position an object { x, y } that is made once by the board and shared, and
// the empty list is null. V8's generational collector serves both: a copied
// young generation, and an old one that is marked, swept and compacted.
"use strict";

function safe(p, q) {
  return p.x !== q.x && p.y !== q.y &&
    q.x - p.x !== q.y - p.y && p.x - q.y !== q.x - p.y;
}

function filterSafe(q, ps) {
  if (ps === null) return null;
  if (safe(q, ps.head)) {
    return { head: ps.head, tail: filterSafe(q, ps.tail) };
  }
  return filterSafe(q, ps.tail);
}

function length(list) {
  let n = 0;
  for (let cell = list; cell !== null; cell = cell.tail) n++;
  return n;
}

function search(n, qs, ps, accu) {
  if (ps === null) return length(qs) === n ? accu + 1 : accu;
  const q = ps.head;
  const without = search(n, qs, ps.tail, accu);
  return search(n, { head: q, tail: qs }, filterSafe(q, ps), without);
}

function board(n) {
  let ps = null;
  for (let x = n - 1; x >= 0; x--) {
    for (let y = n - 1; y >= 0; y--) {
      ps = { head: { x, y }, tail: ps };
    }
  }
  return ps;
}

function main(args) {
  const [n, iterations] = args.map(Number);
  const valid = (k) => Number.isInteger(k) && k > 0;
  if (args.length !== 2 || !valid(n) || !valid(iterations)) {
    console.error("usage: queens.js N ITERATIONS");
    process.exit(2);
  }
  for (let i = 0; i < iterations; i++) {
    const start = process.hrtime.bigint();
    const solutions = search(n, null, board(n), 0);
    const ns = process.hrtime.bigint() - start;
    if (i === 0) console.log(`solutions=${solutions}`);
    console.log(`ns=${ns}`);
  }
}

main(process.argv.slice(2));
