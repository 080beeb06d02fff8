/* GNU Prolog's own clocks tell milliseconds. */
#include <time.h>
#include <gprolog.h>

PlBool nanoseconds(PlLong *ns)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  *ns = t.tv_sec * 1000000000L + t.tv_nsec;
  return PL_TRUE;
}
