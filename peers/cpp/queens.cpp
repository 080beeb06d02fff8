// N-queens on immutable lists, whose cells are reached by plain pointers.
//
// A cell is a position (two ints) and a pointer to the tail: 16 bytes, to which
// most of these memory managers add some of their own. Which one serves it is
// chosen at compile time, by one of MALLOC, POOL, STACK, MONOTONIC and BOEHM;
// the program is the same. Those that free do it when the subtree of a choice
// is done: the choice's own cell first, then those of the filtered list in the
// order in which they were allocated (FIFO).

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <new>

#if defined(POOL)
#include <boost/pool/pool.hpp>
#elif defined(MONOTONIC)
#include <memory_resource>
#elif defined(BOEHM)
#include <gc.h>
#endif

struct Position {
  int x, y;
};

struct Cell {
  Position head;
  Cell *tail;
};

#if defined(MALLOC)

struct Heap {
  struct Scope {};

  void *allocate() {
    void *memory = std::malloc(sizeof(Cell));
    if (!memory) std::abort();
    return memory;
  }
  Scope open() { return {}; }
  void close(Scope, Cell *placed, Cell *left) {
    std::free(placed);
    while (left) {
      Cell *tail = left->tail;
      std::free(left);
      left = tail;
    }
  }
  void settle() {}
};

#elif defined(POOL)

// boost::pool frees to a list through its cells, and grows by blocks that double.
struct Heap {
  struct Scope {};
  boost::pool<> cells{sizeof(Cell)};

  void *allocate() {
    void *memory = cells.malloc();
    if (!memory) std::abort();
    return memory;
  }
  Scope open() { return {}; }
  void close(Scope, Cell *placed, Cell *left) {
    if (placed) cells.free(placed);
    while (left) {
      Cell *tail = left->tail;
      cells.free(left);
      left = tail;
    }
  }
  void settle() {}
};

#elif defined(STACK)

// The cells of a subtree are the last ones, so the top goes back to where it was.
struct Heap {
  using Scope = Cell *;
  static constexpr std::size_t most_cells = std::size_t{1} << 16;
  Cell *first = static_cast<Cell *>(std::malloc(most_cells * sizeof(Cell)));
  Cell *top = first;

  void *allocate() {
    if (top == first + most_cells) std::abort();
    return top++;
  }
  Scope open() { return top; }
  void close(Scope scope, Cell *, Cell *) { top = scope; }
  void settle() { top = first; }
};

#elif defined(MONOTONIC)

// Frees nothing until a search is done and timed.
struct Heap {
  struct Scope {};
  std::pmr::monotonic_buffer_resource cells;

  void *allocate() { return cells.allocate(sizeof(Cell), alignof(Cell)); }
  Scope open() { return {}; }
  void close(Scope, Cell *, Cell *) {}
  void settle() { cells.release(); }
};

#elif defined(BOEHM)

// Finds what is reachable by itself, in registers and on the stack too.
struct Heap {
  struct Scope {};

  Heap() { GC_INIT(); }
  void *allocate() {
    void *memory = GC_MALLOC(sizeof(Cell));
    if (!memory) std::abort();
    return memory;
  }
  Scope open() { return {}; }
  void close(Scope, Cell *, Cell *) {}
  void settle() {}
};

#endif

static Heap heap;

static Cell *cons(Position head, Cell *tail) {
  return new (heap.allocate()) Cell{head, tail};
}

static bool safe(Position a, Position b) {
  return a.x != b.x && a.y != b.y && b.x - a.x != b.y - a.y && a.x - b.y != b.x - a.y;
}

static Cell *filter_safe(Position q, const Cell *ps) {
  Cell *first = nullptr;
  Cell **end = &first;
  for (; ps; ps = ps->tail) {
    if (safe(q, ps->head)) {
      *end = cons(ps->head, nullptr);
      end = &(*end)->tail;
    }
  }
  return first;
}

static int length(const Cell *list) {
  int count = 0;
  for (; list; list = list->tail) ++count;
  return count;
}

static long search(int n, Cell *qs, const Cell *ps, long accu) {
  if (!ps) return length(qs) == n ? accu + 1 : accu;
  accu = search(n, qs, ps->tail, accu);
  const Heap::Scope scope = heap.open();
  Cell *placed = cons(ps->head, qs);
  Cell *left = filter_safe(ps->head, ps);
  accu = search(n, placed, left, accu);
  heap.close(scope, placed, left);
  return accu;
}

static Cell *board(int n) {
  Cell *first = nullptr;
  Cell **end = &first;
  for (int x = 0; x < n; ++x) {
    for (int y = 0; y < n; ++y) {
      *end = cons({x, y}, nullptr);
      end = &(*end)->tail;
    }
  }
  return first;
}

int main(int argc, char **argv) {
  const int n = argc == 3 ? std::atoi(argv[1]) : 0;
  const int iterations = argc == 3 ? std::atoi(argv[2]) : 0;
  if (n < 1 || iterations < 1) {
    std::fprintf(stderr, "usage: queens N ITERATIONS\n");
    return 2;
  }
  for (int i = 0; i < iterations; ++i) {
    const auto start = std::chrono::steady_clock::now();
    const Heap::Scope scope = heap.open();
    Cell *ps = board(n);
    const long solutions = search(n, nullptr, ps, 0);
    heap.close(scope, nullptr, ps);
    const std::chrono::nanoseconds elapsed = std::chrono::steady_clock::now() - start;
    heap.settle();
    if (i == 0) std::printf("solutions=%ld\n", solutions);
    std::printf("ns=%lld\n", static_cast<long long>(elapsed.count()));
  }
}
