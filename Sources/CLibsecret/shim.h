// Why this exists: libsecret's calls that tell a locked item from a missing one, and that never prompt, are behind
// SECRET_API_SUBJECT_TO_CHANGE; and GObject's cast macros are invisible to Swift.
#ifndef OAUTHCTL_CLIBSECRET_SHIM_H
#define OAUTHCTL_CLIBSECRET_SHIM_H

#define SECRET_API_SUBJECT_TO_CHANGE 1
#include <libsecret/secret.h>

// G_DBUS_PROXY(service): the macro does not import. SecretService is a GDBusProxy by inheritance.
static inline GDBusProxy *oauthctl_service_as_proxy(SecretService *service) { return G_DBUS_PROXY(service); }

#endif
