## N-queens on immutable lists. A cell of the list is a ref object, a position
## of two words and a ref to the tail, 24 bytes behind a header; the empty list
## is nil. The memory manager that serves it is chosen by the flag --mm.

import std/[monotimes, os, strutils]

type
  Position = tuple[x, y: int]
  List = ref object
    head: Position
    tail: List

func safe(p, q: Position): bool =
  p.x != q.x and p.y != q.y and q.x - p.x != q.y - p.y and p.x - q.y != q.x - p.y

func filterSafe(q: Position, ps: List): List =
  if ps == nil: nil
  elif safe(q, ps.head): List(head: ps.head, tail: filterSafe(q, ps.tail))
  else: filterSafe(q, ps.tail)

func len(list: List): int =
  if list == nil: 0 else: 1 + len(list.tail)

func search(n: int, qs, ps: List, accu: int): int =
  if ps == nil:
    return if len(qs) == n: accu + 1 else: accu
  let q = ps.head
  let without = search(n, qs, ps.tail, accu)
  search(n, List(head: q, tail: qs), filterSafe(q, ps), without)

func board(n: int): List =
  for x in countdown(n - 1, 0):
    for y in countdown(n - 1, 0):
      result = List(head: (x, y), tail: result)

proc usage() {.noreturn.} =
  quit "usage: queens N ITERATIONS", 2

proc number(text: string): int =
  try: result = parseInt(text)
  except ValueError: usage()
  if result < 1: usage()

proc main() =
  if paramCount() != 2: usage()
  let n = number(paramStr(1))
  let iterations = number(paramStr(2))
  for i in 1 .. iterations:
    let start = getMonoTime().ticks
    let solutions = search(n, nil, board(n), 0)
    let ns = getMonoTime().ticks - start
    if i == 1: echo "solutions=", solutions
    echo "ns=", ns

main()
