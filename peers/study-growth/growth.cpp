// What a vector gains when its block grows in place: N vectors grow in turn, by
// one element each, as in Boost.Container's benchmark of forward expansion.
//
// Workloads are `int` and `class`, an integer with a copy of its own, which no
// compiler turns into memmove. Chosen at compile time are
//   STD_VECTOR: std::vector over std::allocator;
//   boost::container::vector over
//     STD: std::allocator;
//     NEW: Boost's new_allocator, which is operator new;
//     V1: Boost's own dlmalloc, a new block whenever the vector grows;
//     V2: the same, but first the block is expanded where it is, forwards or,
//       by moving the elements down, backwards;
//     V2_COPY: the same with expansion turned off, so that a block may still be
//       larger than was asked for.

#if defined(STD_VECTOR)
#include <vector>
#else
#include <boost/container/vector.hpp>
#endif

#if defined(NEW)
#include <boost/container/new_allocator.hpp>
#elif defined(V1) || defined(V2) || defined(V2_COPY)
#include <boost/container/allocator.hpp>
#endif

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

constexpr int pushes = 10'000;
constexpr std::size_t vectors_at_least = 100;
constexpr std::size_t most_vectors = 10'000;

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
  explicit operator int() const { return value_; }
};

#if defined(STD_VECTOR)
template <class T, class Allocator> using Vector = std::vector<T, Allocator>;
template <class T> using Allocator = std::allocator<T>;
#else
namespace container = boost::container;
template <class T, class Allocator> using Vector = container::vector<T, Allocator>;
#if defined(STD)
template <class T> using Allocator = std::allocator<T>;
#elif defined(NEW)
template <class T> using Allocator = container::new_allocator<T>;
#elif defined(V1)
template <class T> using Allocator = container::allocator<T, 1>;
#elif defined(V2)
template <class T> using Allocator = container::allocator<T, 2>;
#elif defined(V2_COPY)
template <class T>
using Allocator = container::allocator<T, 2, container::expand_fwd | container::expand_bwd>;
#endif
#endif

// What counts its calls, for vectors that are not timed.
struct Calls {
  static inline std::size_t new_blocks = 0, expansions = 0;
};

template <class T> struct Counting : Allocator<T> {
  template <class U> struct rebind {
    using other = Counting<U>;
  };

  T *allocate(std::size_t count) {
    ++Calls::new_blocks;
    return Allocator<T>::allocate(count);
  }

#if defined(V2) || defined(V2_COPY)
  T *allocation_command(unsigned int command, std::size_t least, std::size_t &count, T *&reuse) {
    T *block = Allocator<T>::allocation_command(command, least, count, reuse);
    if (block) ++(reuse ? Calls::expansions : Calls::new_blocks);
    return block;
  }
#endif
};

// What it points to counts as read and written here.
static void touched(void *what) { asm volatile("" : : "r"(what) : "memory"); }

template <class V> static void grow(std::vector<V> &vectors) {
  using T = typename V::value_type;
  if (vectors.size() == 1) {
    V &only = vectors.front();
    for (int i = 0; i < pushes; ++i) only.push_back(T(i));
  } else {
    for (int i = 0; i < pushes; ++i) {
      for (V &each : vectors) each.push_back(T(i));
    }
  }
}

template <class V> static std::uint64_t sum(const std::vector<V> &vectors) {
  std::uint64_t sum = 0;
  for (const V &each : vectors) {
    for (const auto &element : each) sum += static_cast<int>(element);
  }
  return sum;
}

template <class V> static std::uint64_t iterate(std::size_t n, long long &push_ns) {
  const std::size_t groups = std::max<std::size_t>(1, vectors_at_least / n);
  std::uint64_t answer = 0;
  for (std::size_t group = 0; group < groups; ++group) {
    std::vector<V> vectors(n);
    touched(vectors.data());
    const auto start = std::chrono::steady_clock::now();
    grow(vectors);
    touched(vectors.data());
    const std::chrono::nanoseconds elapsed = std::chrono::steady_clock::now() - start;
    push_ns += elapsed.count();
    answer += sum(vectors);
  }
  return answer;
}

template <class T> static int run(std::size_t n, std::size_t iterations) {
  std::vector<long long> push_ns(iterations);
  std::uint64_t answer = 0;
  for (long long &ns : push_ns) answer = iterate<Vector<T, Allocator<T>>>(n, ns);

  std::vector<Vector<T, Counting<T>>> counted(n);
  grow(counted);
  std::size_t capacity = 0;
  for (const auto &each : counted) capacity = std::max<std::size_t>(capacity, each.capacity());

  std::printf("answer=%llu\n", static_cast<unsigned long long>(answer));
  for (const long long ns : push_ns) std::printf("push_ns=%lld\n", ns);
  std::printf("capacity=%zu\n", capacity);
  std::printf("new_blocks=%.2f\n", double(Calls::new_blocks) / n);
  std::printf("expansions=%.2f\n", double(Calls::expansions) / n);
  return 0;
}

// A number from 1 to `most`, or 0 if the word is none.
static unsigned long number(const char *word, unsigned long most) {
  char *end = nullptr;
  const unsigned long number = std::strtoul(word, &end, 10);
  const bool digits = *word >= '0' && *word <= '9' && *end == '\0';
  return digits && number <= most ? number : 0;
}

int main(int argc, char **argv) {
  const bool integers = argc == 4 && std::strcmp(argv[1], "int") == 0;
  const bool objects = argc == 4 && std::strcmp(argv[1], "class") == 0;
  const std::size_t n = integers || objects ? number(argv[2], most_vectors) : 0;
  const std::size_t iterations = integers || objects ? number(argv[3], 1'000'000) : 0;
  if (n == 0 || iterations == 0) {
    std::fprintf(stderr, "usage: growth int|class N ITERATIONS, N to %zu\n", most_vectors);
    return 2;
  }
  try {
    return integers ? run<int>(n, iterations) : run<MyInt>(n, iterations);
  } catch (const std::bad_alloc &) {
    std::fprintf(stderr, "out of memory\n");
    return 3;
  }
}
