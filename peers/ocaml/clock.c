/* OCaml's own clocks (Sys.time, Unix.gettimeofday) are not monotonic. */
#include <time.h>
#include <caml/mlvalues.h>

intnat queens_nanoseconds(value unit)
{
  struct timespec t;
  (void) unit;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (intnat) t.tv_sec * 1000000000 + t.tv_nsec;
}

value queens_nanoseconds_bytecode(value unit)
{
  return Val_long(queens_nanoseconds(unit));
}
