#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

/// Gives two files each other's names, in one step: renameat2(2) with RENAME_EXCHANGE, which Swift does not see.
static inline int locationd_exchange(const char *one, const char *other) {
    return (int)syscall(SYS_renameat2, AT_FDCWD, one, AT_FDCWD, other, 2);
}
