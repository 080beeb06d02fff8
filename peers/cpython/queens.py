"""N-queens on immutable lists.

A cell of the list is a tuple (head, tail), a position a tuple (x, y) that is
made once by the board and shared, and the empty list is None.  A tuple of two
takes 56 bytes, 16 of them for the collector of cycles, which serves them
beside CPython's reference counts.
"""

import sys
from time import perf_counter_ns


def safe(p, q):
    x1, y1 = p
    x2, y2 = q
    return x1 != x2 and y1 != y2 and x2 - x1 != y2 - y1 and x1 - y2 != x2 - y1


def filter_safe(q, ps):
    if ps is None:
        return None
    head, tail = ps
    if safe(q, head):
        return head, filter_safe(q, tail)
    return filter_safe(q, tail)


def length(cells):
    n = 0
    while cells is not None:
        n += 1
        cells = cells[1]
    return n


def search(n, qs, ps, accu):
    if ps is None:
        return accu + 1 if length(qs) == n else accu
    q, tail = ps
    accu = search(n, qs, tail, accu)
    return search(n, (q, qs), filter_safe(q, ps), accu)


def board(n):
    ps = None
    for x in reversed(range(n)):
        for y in reversed(range(n)):
            ps = (x, y), ps
    return ps


def main(args):
    try:
        n, iterations = map(int, args)
        if n < 1 or iterations < 1:
            raise ValueError
    except ValueError:
        print("usage: queens.py N ITERATIONS", file=sys.stderr)
        return 2
    for i in range(iterations):
        start = perf_counter_ns()
        solutions = search(n, None, board(n), 0)
        ns = perf_counter_ns() - start
        if i == 0:
            print(f"solutions={solutions}")
        print(f"ns={ns}")
    return 0


sys.exit(main(sys.argv[1:]))
