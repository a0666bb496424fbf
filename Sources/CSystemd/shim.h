#include <malloc.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <systemd/sd-bus.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-journal.h>
#include <systemd/sd-login.h>
#include <unistd.h>

// glibc 2.36 declares pidfd_open only for C++ users of <sys/pidfd.h> that also want <signal.h>'s GNU parts, and
// syscall(2) is variadic: Swift can call neither.
static inline int locationd_pidfd_open(pid_t pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }

// prctl(2) is variadic too, and pthread_setname_np(3) is GNU's.
static inline int locationd_set_thread_name(const char *name) { return prctl(PR_SET_NAME, name); }

// malloc_trim(3), mallinfo2(3) and mallopt(3) are GNU's, too.
static inline void locationd_give_back_memory(void) { malloc_trim(0); }
static inline size_t locationd_memory_in_use(void) {
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}
static inline int locationd_use_one_heap(void) { return mallopt(M_ARENA_MAX, 1); }
