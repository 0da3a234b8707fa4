// Why this exists: libcurl is loaded with dlopen on first use (linking it costs 5 ms of every run), so only its
// types and constants are taken from here; and curl_easy_setopt/getinfo are variadic, which Swift cannot call.
#ifndef OAUTHCTL_CCURL_SHIM_H
#define OAUTHCTL_CCURL_SHIM_H

#include <curl/curl.h>

#endif
