// Why this exists: libqrencode is loaded with dlopen where a QR code is shown, and of its header no more is needed than
// what is here, the part of the ABI of libqrencode.so.4 that is called: so its development package is not either.
#ifndef OAUTHCTL_CQRENCODE_SHIM_H
#define OAUTHCTL_CQRENCODE_SHIM_H

// A symbol: width times width bytes, row by row; the lowest bit of each says whether the module is dark.
typedef struct {
  int version;
  int width;
  unsigned char *data;
} oauthctl_qrcode;

// How much of a symbol may be unreadable (QRecLevel), and how a text is written into it (QRencodeMode).
static const int oauthctl_qr_level_low = 0;
static const int oauthctl_qr_level_medium = 1;
static const int oauthctl_qr_mode_bytes = 2;

#endif
