// Why this exists: the calls that lend libsecret's encryption and prompts to a caller of the Secret Service's own
// methods are behind SECRET_API_SUBJECT_TO_CHANGE; and GObject's cast macros are invisible to Swift.
#ifndef OAUTHCTL_CLIBSECRET_SHIM_H
#define OAUTHCTL_CLIBSECRET_SHIM_H

#define SECRET_API_SUBJECT_TO_CHANGE 1
#include <libsecret/secret.h>

// G_DBUS_PROXY(service): a SecretService is a GDBusProxy by inheritance.
static inline GDBusProxy *oauthctl_service_as_proxy(SecretService *service) { return G_DBUS_PROXY(service); }

// A wait by a clock that nobody sets (glibc 2.30). Declared here because the headers show it with _GNU_SOURCE alone.
#include <pthread.h>
#include <time.h>
extern int pthread_cond_clockwait(pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *);
static inline int oauthctl_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *end) {
  return pthread_cond_clockwait(condition, mutex, CLOCK_MONOTONIC, end);
}

#endif
