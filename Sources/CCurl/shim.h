// Why this exists: libcurl is loaded with dlopen on first use (linking it costs 5 ms of every run), so only its
// types and constants are taken from here; and curl_easy_setopt/getinfo are variadic, which Swift cannot call.
// The setters take the looked-up address of curl_easy_setopt (or _getinfo) first.
#ifndef OAUTHCTL_CCURL_SHIM_H
#define OAUTHCTL_CCURL_SHIM_H

#include <curl/curl.h>

typedef CURLcode (*oauthctl_setopt)(CURL *, CURLoption, ...);
typedef CURLcode (*oauthctl_getinfo)(CURL *, CURLINFO, ...);

// Options that are younger than the oldest libcurl this builds with. Their numbers are part of libcurl's ABI; an older
// library answers CURLE_UNKNOWN_OPTION.
static const CURLoption oauthctl_opt_protocols = (CURLoption)181;
static const CURLoption oauthctl_opt_protocols_str = (CURLoption)10318;
static const CURLoption oauthctl_opt_quick_exit = (CURLoption)322;
static const CURLoption oauthctl_opt_cainfo_blob = (CURLoption)40309;
static const CURLoption oauthctl_opt_proxy_cainfo_blob = (CURLoption)40310;
static const CURLcode oauthctl_code_too_large = (CURLcode)100;
static const CURLINFO oauthctl_info_cainfo = (CURLINFO)(CURLINFO_STRING + 61);

static inline CURLcode oauthctl_setopt_long(const void *setopt, CURL *easy, CURLoption option, long value) {
  return ((oauthctl_setopt)setopt)(easy, option, value);
}

static inline CURLcode oauthctl_setopt_size(const void *setopt, CURL *easy, CURLoption option, curl_off_t value) {
  return ((oauthctl_setopt)setopt)(easy, option, value);
}

static inline CURLcode oauthctl_setopt_pointer(const void *setopt, CURL *easy, CURLoption option, const void *value) {
  return ((oauthctl_setopt)setopt)(easy, option, value);
}

// Copied by libcurl, or else lent for as long as the handle is used.
static inline CURLcode oauthctl_setopt_blob(const void *setopt, CURL *easy, CURLoption option, const void *bytes,
                                            size_t count, int copy) {
  struct curl_blob blob = {(void *)bytes, count, copy ? CURL_BLOB_COPY : CURL_BLOB_NOCOPY};
  return ((oauthctl_setopt)setopt)(easy, option, &blob);
}

// Body and header callbacks have one type: the second one's item size is always 1.
static inline CURLcode oauthctl_setopt_receiver(const void *setopt, CURL *easy, CURLoption function,
                                                curl_write_callback callback, CURLoption data, void *context) {
  CURLcode code = ((oauthctl_setopt)setopt)(easy, function, callback);
  return code == CURLE_OK ? ((oauthctl_setopt)setopt)(easy, data, context) : code;
}

static inline CURLcode oauthctl_getinfo_long(const void *getinfo, CURL *easy, CURLINFO info, long *value) {
  return ((oauthctl_getinfo)getinfo)(easy, info, value);
}

static inline CURLcode oauthctl_getinfo_size(const void *getinfo, CURL *easy, CURLINFO info, curl_off_t *value) {
  return ((oauthctl_getinfo)getinfo)(easy, info, value);
}

static inline CURLcode oauthctl_getinfo_string(const void *getinfo, CURL *easy, CURLINFO info, const char **value) {
  return ((oauthctl_getinfo)getinfo)(easy, info, value);
}

// The result of a finished transfer; the union in CURLMsg is read where its meaning is known.
static inline CURLcode oauthctl_message_result(const CURLMsg *message) { return message->data.result; }

#endif
