// N-queens on immutable lists, whose cells are held by counted pointers.
//
// A cell is a position (two ints) and a pointer to the tail. Chosen at compile
// time are
//   the pointer: STD_SHARED, BOOST_SHARED, BOOST_LOCAL, BOOST_INTRUSIVE (a plain
//     count) or BOOST_INTRUSIVE_ATOMIC; a shared pointer has 16 bytes, an
//     intrusive one 8, and its count is in the cell;
//   MAKE: one block for cell and count, by make_shared, in place of two;
//   REF: parameters are const&, and walks look at cells that others hold. Without
//     it each parameter and each local variable is a pointer that counts;
//   THREAD: a thread was started, and has ended, before the first search.
//
// The destructor of a list is recursive; lists are at most n * n cells long.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>
#include <utility>

#if !defined(STD_SHARED)
#include <boost/smart_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>
#include <boost/smart_ptr/local_shared_ptr.hpp>
#include <boost/smart_ptr/make_local_shared.hpp>
#endif

struct Position {
  int x, y;
};

struct Cell;

#if defined(STD_SHARED)
using List = std::shared_ptr<const Cell>;
struct Counted {};
#elif defined(BOOST_SHARED)
using List = boost::shared_ptr<const Cell>;
struct Counted {};
#elif defined(BOOST_LOCAL)
using List = boost::local_shared_ptr<const Cell>;
struct Counted {};
#elif defined(BOOST_INTRUSIVE)
using List = boost::intrusive_ptr<const Cell>;
using Counted = boost::intrusive_ref_counter<Cell, boost::thread_unsafe_counter>;
#elif defined(BOOST_INTRUSIVE_ATOMIC)
using List = boost::intrusive_ptr<const Cell>;
using Counted = boost::intrusive_ref_counter<Cell, boost::thread_safe_counter>;
#endif

struct Cell : Counted {
  Position head;
  List tail;

  Cell(Position head, List tail) : head(head), tail(std::move(tail)) {}
};

static List cons(Position head, List tail) {
#if defined(MAKE) && defined(STD_SHARED)
  return std::make_shared<const Cell>(head, std::move(tail));
#elif defined(MAKE) && defined(BOOST_SHARED)
  return boost::make_shared<const Cell>(head, std::move(tail));
#elif defined(MAKE) && defined(BOOST_LOCAL)
  return boost::make_local_shared<const Cell>(head, std::move(tail));
#else
  return List(new Cell(head, std::move(tail)));
#endif
}

#if defined(REF)
using Parameter = const List &;
using Cursor = const Cell *;
static Cursor cursor(Parameter list) { return list.get(); }
#else
using Parameter = List;
using Cursor = List;
static Cursor cursor(Parameter list) { return list; }
#endif

static bool safe(Position a, Position b) {
  return a.x != b.x && a.y != b.y && b.x - a.x != b.y - a.y && a.x - b.y != b.x - a.y;
}

static List filter_safe(Position q, Parameter ps) {
  if (!ps) return List();
  if (safe(q, ps->head)) return cons(ps->head, filter_safe(q, ps->tail));
  return filter_safe(q, ps->tail);
}

static int length(Parameter list) {
  int count = 0;
  for (Cursor cell = cursor(list); cell; cell = cursor(cell->tail)) ++count;
  return count;
}

static long search(int n, Parameter qs, Parameter ps, long accu) {
  if (!ps) return length(qs) == n ? accu + 1 : accu;
  const Position q = ps->head;
  accu = search(n, qs, ps->tail, accu);
  return search(n, cons(q, qs), filter_safe(q, ps), accu);
}

static List board(int n) {
  List list;
  for (int x = n; x-- > 0;) {
    for (int y = n; y-- > 0;) list = cons({x, y}, std::move(list));
  }
  return list;
}

int main(int argc, char **argv) {
  const int n = argc == 3 ? std::atoi(argv[1]) : 0;
  const int iterations = argc == 3 ? std::atoi(argv[2]) : 0;
  if (n < 1 || iterations < 1) {
    std::fprintf(stderr, "usage: queens N ITERATIONS\n");
    return 2;
  }
#if defined(THREAD)
  std::thread([] {}).join();
#endif
  for (int i = 0; i < iterations; ++i) {
    const auto start = std::chrono::steady_clock::now();
    const long solutions = search(n, List(), board(n), 0);
    const std::chrono::nanoseconds elapsed = std::chrono::steady_clock::now() - start;
    if (i == 0) std::printf("solutions=%ld\n", solutions);
    std::printf("ns=%lld\n", static_cast<long long>(elapsed.count()));
  }
}
