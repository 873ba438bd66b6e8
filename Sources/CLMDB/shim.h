#include <lmdb.h>

// Has the processor fetch memory that will be read soon. Any address will do.
static inline void jp_prefetch(const void *address) { __builtin_prefetch(address); }
