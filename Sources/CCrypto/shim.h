// Why this exists: libcrypto is loaded with dlopen on first use, so only its types and constants are taken from here.
#ifndef OAUTHCTL_CCRYPTO_SHIM_H
#define OAUTHCTL_CCRYPTO_SHIM_H

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#endif
