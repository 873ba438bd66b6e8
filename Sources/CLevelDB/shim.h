#include <leveldb/c.h>
#ifdef __linux__
#include <sys/xattr.h>
#endif
