// What a node container gains when its allocator hands out many nodes in one
// call: N elements are inserted at the end of a Boost.Container in one range,
// as in that library's benchmark of stable_vector (there all ranges into one container).
//
// Workloads are `vector`, a boost::container::stable_vector, and `list`, a
// boost::container::list. The allocator is chosen at compile time:
//   STD: std::allocator, one call for each node;
//   V1: Boost's own dlmalloc, one call for each node;
//   V2: the same, one call for all nodes, carved from one block where there is one;
//   ADAPTIVE_POOL: slabs with about 2 % of overhead, each given back once empty,
//     which are the parameters of the library's benchmark;
//   NODE: slabs that are kept for nodes of their size.
//
// An erased range of a stable_vector stays in that vector, for elements to come,
// until the vector is destroyed. A list gives its nodes back at once.

#include <boost/container/list.hpp>
#include <boost/container/stable_vector.hpp>

#if defined(STD)
#include <memory>
#elif defined(V1) || defined(V2)
#include <boost/container/allocator.hpp>
#elif defined(ADAPTIVE_POOL)
#include <boost/container/adaptive_pool.hpp>
#elif defined(NODE)
#include <boost/container/node_allocator.hpp>
#endif

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <numeric>
#include <optional>
#include <random>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace container = boost::container;

constexpr int containers = 10;
constexpr std::size_t most_elements = 10'000'000;
constexpr std::size_t footprint_nodes = 200'000;

#if defined(STD)
template <class T> using Allocator = std::allocator<T>;
#elif defined(V1)
template <class T> using Allocator = container::allocator<T, 1>;
#elif defined(V2)
template <class T> using Allocator = container::allocator<T, 2>;
#elif defined(ADAPTIVE_POOL)
template <class T> using Allocator = container::adaptive_pool<T, 256, 0, 2, 2>;
#elif defined(NODE)
template <class T> using Allocator = container::node_allocator<T, 256, 2>;
#endif

// An integer with a copy of its own.
class MyInt {
  int value_;

public:
  explicit MyInt(int value = 0) : value_(value) {}
  MyInt(const MyInt &other) : value_(other.value_) {}
  MyInt &operator=(const MyInt &other) {
    value_ = other.value_;
    return *this;
  }
  ~MyInt() { value_ = 0; }
  int value() const { return value_; }
};

using Vector = container::stable_vector<MyInt, Allocator<MyInt>>;
using List = container::list<MyInt, Allocator<MyInt>>;

enum Phase { insert, erase, destroy, phases };
constexpr std::array<const char *, phases> phase_names = {"insert", "erase", "destroy"};
using Times = std::array<long long, phases>;

// What it points to counts as read and written here.
static void touched(void *what) { asm volatile("" : : "r"(what) : "memory"); }

template <class Work> static void timed(long long &total_ns, Work work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  const std::chrono::nanoseconds elapsed = std::chrono::steady_clock::now() - start;
  total_ns += elapsed.count();
}

template <class Container> static std::uint64_t iterate(std::size_t n, Times &times_ns) {
  std::uint64_t answer = 0;
  for (int value = 0; value < containers; ++value) {
    std::optional<Container> one(std::in_place);
    touched(&one);
    timed(times_ns[insert], [&] {
      one->insert(one->end(), n, MyInt(value));
      touched(&one);
    });
    for (const MyInt &element : *one) answer += element.value();
    timed(times_ns[destroy], [&] {
      one.reset();
      touched(&one);
    });

    Container other;
    other.insert(other.end(), n, MyInt(value));
    touched(&other);
    timed(times_ns[erase], [&] {
      other.erase(other.begin(), other.end());
      touched(&other);
    });
  }
  return answer;
}

// Memory of a list whose nodes come and go.
struct Footprint {
  double resident_bytes_per_node, returned_half_percent, returned_all_percent;
};

// The process's own pages that are in memory, but for those that it gave back lazily: what the Rust
// rows count, too. Read without an allocation.
static double resident_bytes() {
  char text[4096] = {};
  const int file = open("/proc/self/smaps_rollup", O_RDONLY);
  if (file < 0 || read(file, text, sizeof text - 1) < 0) _exit(1);
  close(file);
  const auto kib = [&](const char *name) {
    const char *line = std::strstr(text, name);
    return line ? std::strtol(line + std::strlen(name), nullptr, 10) : 0;
  };
  return 1024.0 * (kib("\nAnonymous:") - kib("\nLazyFree:"));
}

static double percent(double part, double whole) {
  return whole > 0 ? std::clamp(100 * part / whole, 0.0, 100.0) : 0;
}

static Footprint footprint() {
  // What is needed beside the nodes is resident before anything is counted.
  std::vector<std::uint32_t> order(footprint_nodes);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(6830));
  std::vector<bool> erased(footprint_nodes);
  for (std::size_t i = 0; i < footprint_nodes / 2; ++i) erased[order[i]] = true;
  List few;
  few.insert(few.end(), 3, MyInt(1));
  few.erase(few.begin());
  few.clear();
  resident_bytes();

  std::optional<List> list(std::in_place);
  const double before = resident_bytes();
  list->insert(list->end(), footprint_nodes, MyInt(1));
  const double full = resident_bytes();
  std::size_t index = 0;
  for (auto node = list->begin(); node != list->end(); ++index) {
    node = erased[index] ? list->erase(node) : std::next(node);
  }
  const double half = resident_bytes();
  list->clear();
  list.reset();
  const double none = resident_bytes();

  const double grown = full - before;
  return {grown / footprint_nodes, percent(full - half, grown), percent(full - none, grown)};
}

// Finds the footprint out in a process of its own: its heap is new, and the
// heap of what is timed is left alone.
static std::optional<Footprint> footprint_apart() {
  int ends[2];
  if (pipe(ends) != 0) return std::nullopt;
  const pid_t child = fork();
  if (child == 0) {
    try {
      const Footprint found = footprint();
      _exit(write(ends[1], &found, sizeof found) == sizeof found ? 0 : 1);
    } catch (const std::bad_alloc &) {
      _exit(3);
    }
  }
  Footprint found;
  close(ends[1]);
  const bool whole = child > 0 && read(ends[0], &found, sizeof found) == sizeof found;
  close(ends[0]);
  int status = 0;
  if (child > 0) waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 3) throw std::bad_alloc();
  return whole ? std::optional(found) : std::nullopt;
}

// A number from 1 to `most`, or 0 if the word is none.
static unsigned long number(const char *word, unsigned long most) {
  char *end = nullptr;
  const unsigned long number = std::strtoul(word, &end, 10);
  const bool digits = *word >= '0' && *word <= '9' && *end == '\0';
  return digits && number <= most ? number : 0;
}

template <class Container> static int run(std::size_t n, std::size_t iterations) {
  const std::optional<Footprint> found = footprint_apart();
  std::vector<Times> times_ns(iterations, Times{});
  std::uint64_t answer = 0;
  for (Times &each : times_ns) answer = iterate<Container>(n, each);
  std::printf("answer=%llu\n", static_cast<unsigned long long>(answer));
  for (const Times &each : times_ns) {
    for (int phase = 0; phase < phases; ++phase) {
      std::printf("%s_ns=%lld\n", phase_names[phase], each[phase]);
    }
  }
  using Node = typename List::stored_allocator_type::value_type;
  std::printf("node_bytes=%zu\n", sizeof(Node));
  if (found) {
    std::printf("resident_bytes_per_node=%.2f\n", found->resident_bytes_per_node);
    std::printf("returned_half_percent=%.1f\n", found->returned_half_percent);
    std::printf("returned_all_percent=%.1f\n", found->returned_all_percent);
  }
  return 0;
}

int main(int argc, char **argv) {
  const bool vector = argc == 4 && std::strcmp(argv[1], "vector") == 0;
  const bool list = argc == 4 && std::strcmp(argv[1], "list") == 0;
  const std::size_t n = vector || list ? number(argv[2], most_elements) : 0;
  const std::size_t iterations = vector || list ? number(argv[3], 1'000'000) : 0;
  if (n == 0 || iterations == 0) {
    std::fprintf(stderr, "usage: burst vector|list N ITERATIONS, N to %zu\n", most_elements);
    return 2;
  }
  try {
    return vector ? run<Vector>(n, iterations) : run<List>(n, iterations);
  } catch (const std::bad_alloc &) {
    std::fprintf(stderr, "out of memory\n");
    return 3;
  }
}
