// Why this exists: libcrypto is loaded with dlopen on first use, so only its types and constants are taken from here.
#ifndef OAUTHCTL_CCRYPTO_SHIM_H
#define OAUTHCTL_CCRYPTO_SHIM_H

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>

#endif
