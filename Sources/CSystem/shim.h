// Why this exists: prctl is variadic, which Swift cannot call, an array on the stack is no thing of Swift's, mallopt is not in Swift's Glibc, and Swift 6 refuses the global variable environ.
#ifndef OAUTHCTL_CSYSTEM_SHIM_H
#define OAUTHCTL_CSYSTEM_SHIM_H

#include <malloc.h>
#include <sys/prctl.h>
#include <unistd.h>

extern char **environ;

static inline int oauthctl_forbid_dumps(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }
static inline int oauthctl_allows_dumps(void) { return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0); }

// Has memory overwritten when it is given back; the C library's own cache of small pieces is left out.
static inline void oauthctl_overwrite_freed_memory(void) {
#ifdef M_PERTURB
  mallopt(M_PERTURB, 0xFF);
#endif
}

// Has the stack of the calling thread be there for so much more: with a limit on addresses it cannot grow later, which is a
// signal.
static inline void oauthctl_reserve_stack(void) {
  volatile char room[256 * 1024];
  for (unsigned long place = 0; place < sizeof room; place += 4096) room[place] = 0;
}

// Has all threads share one heap: each of their own would take 64 MB of addresses, and where those are limited, a page for
// every little piece instead, until nothing is left, which is a signal.
static inline void oauthctl_share_heap(void) {
#ifdef M_ARENA_MAX
  mallopt(M_ARENA_MAX, 1);
#endif
}

// The environment's entry of that number, NAME=VALUE; NULL after the last. Read before any thread could change it.
static inline const char *oauthctl_environment_entry(int number) { return environ ? environ[number] : 0; }

#endif
