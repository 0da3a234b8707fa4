// Why this exists: prctl is variadic, which Swift cannot call, and Swift 6 refuses the global variable environ.
#ifndef OAUTHCTL_CSYSTEM_SHIM_H
#define OAUTHCTL_CSYSTEM_SHIM_H

#include <sys/prctl.h>
#include <unistd.h>

extern char **environ;

static inline int oauthctl_forbid_dumps(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }
static inline int oauthctl_allows_dumps(void) { return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0); }

// The environment's entry of that number, NAME=VALUE; NULL after the last. Read before any thread could change it.
static inline const char *oauthctl_environment_entry(int number) { return environ ? environ[number] : 0; }

#endif
