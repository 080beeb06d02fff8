// What a smart pointer's allocation costs: objects of three sizes with a common
// base are made in turn, and each is given up when N younger ones are alive.
//
// An object is made as its own class and held as its base, as in the benchmark
// of the Boost mailing list of 2012 (ticket 6830). Chosen at compile time are
//   the library: STD_SHARED or BOOST_SHARED;
//   how an object is made:
//     NEW, object and counts in a block each;
//     MAKE, the library's make_shared: object and counts in one block;
//     LOOKUP, make_shared as Boost had it before 1.53: an empty pointer is made
//       whose deleter has room for the object, get_deleter finds that deleter
//       again, by comparing types at run time, and the object is built in it;
//     UNTYPED, the same with a deleter that is found without comparing, which
//       is all that Boost changed;
//   THREAD: a thread was started, and has ended, before the first object.
//
// Objects have 16, 32 and 64 bytes: a virtual table's pointer, the value, and
// room that nobody writes to. Constructors and destructors do nothing else.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#if defined(BOOST_SHARED)
#include <boost/smart_ptr.hpp>
#endif

constexpr std::uint64_t objects = 999'999;
// An iteration makes so many, and leaves a full window behind.
constexpr std::size_t most_live = 999'999;

class Base {
public:
  virtual std::uint64_t value() const = 0;

protected:
  ~Base() = default; // a shared pointer deletes what it was made from
};

template <std::size_t Words> class Object final : public Base {
  std::uint64_t words_[Words];

public:
  explicit Object(std::uint64_t value) { words_[0] = value; }
  std::uint64_t value() const override { return words_[0]; }
};

#if defined(STD_SHARED)
namespace library = std;
#elif defined(BOOST_SHARED)
namespace library = boost;
#endif

template <class T> using Shared = library::shared_ptr<T>;
using Slot = Shared<Base>;

#if defined(NEW)
template <class T> Slot make(std::uint64_t value) { return Slot(new T(value)); }

#elif defined(MAKE)
template <class T> Slot make(std::uint64_t value) { return library::make_shared<T>(value); }

#elif defined(LOOKUP) || defined(UNTYPED)
// A deleter with room for what it deletes. Its copies have room, but no object.
template <class T> class Room {
  bool full_ = false;
  alignas(T) unsigned char bytes_[sizeof(T)];

  void empty() noexcept {
    if (full_) std::launder(reinterpret_cast<T *>(bytes_))->~T();
    full_ = false;
  }

public:
  Room() noexcept {}
  Room(const Room &) noexcept {}
  ~Room() { empty(); }
  void operator()(T *) noexcept { empty(); }

  T *fill(std::uint64_t value) {
    T *object = ::new (static_cast<void *>(bytes_)) T(value);
    full_ = true;
    return object;
  }
};

template <class T> Room<T> *room(const Shared<T> &pointer) {
#if defined(LOOKUP)
  return boost::get_deleter<Room<T>>(pointer);
#else
  return static_cast<Room<T> *>(pointer._internal_get_untyped_deleter());
#endif
}

template <class T> Slot make(std::uint64_t value) {
  Shared<T> empty(static_cast<T *>(nullptr), Room<T>());
  T *object = room(empty)->fill(value);
  return Shared<T>(empty, object);
}
#endif

// The slot's object is read and given up, and one of another age takes its place.
template <class T>
static inline void turn(Slot &slot, std::uint64_t value, std::uint64_t &sum) {
  if (slot) sum += slot->value();
  slot.reset();
  slot = make<T>(value);
}

// Gives up as many objects as it makes, from this slot on, where the next pass goes on. What the
// first pass leaves behind is what each leaves behind, so that from the second on the sum is that of
// all values.
static std::uint64_t pass(std::vector<Slot> &slots, Slot *&slot) {
  Slot *const first = slots.data(), *const end = first + slots.size();
  std::uint64_t sum = 0;
  const auto next = [&] {
    Slot &now = *slot;
    if (++slot == end) slot = first;
    return &now;
  };
  for (std::uint64_t value = 0; value < objects; value += 3) {
    turn<Object<1>>(*next(), value, sum);
    turn<Object<3>>(*next(), value + 1, sum);
    turn<Object<7>>(*next(), value + 2, sum);
  }
  return sum;
}

// A number from 1 to `most`, or 0 if the word is none.
static unsigned long number(const char *word, unsigned long most) {
  char *end = nullptr;
  const unsigned long number = std::strtoul(word, &end, 10);
  const bool digits = *word >= '0' && *word <= '9' && *end == '\0';
  return digits && number <= most ? number : 0;
}

static int run(std::size_t live, std::size_t iterations) {
  std::vector<Slot> slots(live);
  std::vector<long long> elapsed_ns;
  elapsed_ns.reserve(iterations);
  Slot *slot = slots.data();
  std::uint64_t answer = pass(slots, slot);
  for (std::size_t i = 0; i < iterations; ++i) {
    const auto start = std::chrono::steady_clock::now();
    answer = pass(slots, slot);
    const std::chrono::nanoseconds elapsed = std::chrono::steady_clock::now() - start;
    elapsed_ns.push_back(elapsed.count());
  }
  std::printf("answer=%llu\n", static_cast<unsigned long long>(answer));
  for (const long long ns : elapsed_ns) std::printf("object_ns=%lld\n", ns);
  return 0;
}

int main(int argc, char **argv) {
  const bool window = argc == 4 && std::strcmp(argv[1], "window") == 0;
  const std::size_t live = window ? number(argv[2], most_live) : 0;
  const std::size_t iterations = window ? number(argv[3], 1'000'000) : 0;
  if (live == 0 || iterations == 0) {
    std::fprintf(stderr, "usage: pointers window N ITERATIONS, N to %zu\n", most_live);
    return 2;
  }
#if defined(THREAD)
  std::thread([] {}).join();
#endif
  try {
    return run(live, iterations);
  } catch (const std::bad_alloc &) {
    std::fprintf(stderr, "out of memory\n");
    return 3;
  }
}
