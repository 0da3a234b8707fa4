// Why this exists: one place that says which of OpenSSL's headers are used.
#ifndef OAUTHCTL_CCRYPTO_SHIM_H
#define OAUTHCTL_CCRYPTO_SHIM_H

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#endif
