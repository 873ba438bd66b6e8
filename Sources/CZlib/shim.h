#include <zlib.h>

// What zlib has as macros, for the format of gzip: window bits beyond 15.
static inline int jp_gzip_inflate_init(z_stream *stream) {
    return inflateInit2(stream, 15 + 16);
}

static inline int jp_gzip_deflate_init(z_stream *stream) {
    return deflateInit2(stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
}

// Without a header or a checksum.
static inline int jp_raw_inflate_init(z_stream *stream) {
    return inflateInit2(stream, -15);
}
