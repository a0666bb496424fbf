// Calls of the kernel and of glibc that Swift does not see: they are variadic, have no wrapper, or are GNU's.
#include <fcntl.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/openat2.h>
#include <linux/sock_diag.h>
#include <linux/stat.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

// glibc 2.36 declares pidfd_open only for C++ users of <sys/pidfd.h> that also want <signal.h>'s GNU parts, and
// syscall(2) is variadic: Swift can call neither.
static inline int locationd_pidfd_open(pid_t pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }

// openat2(2) has no wrapper, and statx(2) is GNU's. Linux 5.12 and later: fails with EAGAIN where a file system would have to be
// asked for the way to the file.
static inline int locationd_open_cached(const char *path) {
    struct open_how how = {.flags = __O_PATH | O_CLOEXEC, .resolve = RESOLVE_CACHED};
    return (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
}

// Which file that is, 0 or -1. Does not ask a file system that can be cut off, such as FUSE, what it says now.
static inline int locationd_identify_file(int descriptor, const char *path, unsigned long long *device,
                                          unsigned long long *inode) {
    struct statx status;
    // AT_STATX_DONT_SYNC, AT_NO_AUTOMOUNT and AT_EMPTY_PATH of <linux/fcntl.h>, which cannot be had beside <fcntl.h>.
    int flags = 0x4000 | 0x800 | (*path ? 0 : 0x1000);
    if (syscall(SYS_statx, descriptor, path, flags, STATX_INO, &status) != 0)
        return -1;
    *device = (unsigned long long)status.stx_dev_major << 32 | status.stx_dev_minor;
    *inode = status.stx_ino;
    return 0;
}

// The process that wrote what a socket with SO_PASSCRED gives next: 0 if there is nothing to read, -1 if it is not said.
// There is room for the credentials only, so no descriptor that was passed is taken.
static inline int locationd_next_writer(int descriptor) {
    struct { int process, user, group; } credentials;
    union { struct cmsghdr header; char space[CMSG_SPACE(sizeof credentials)]; } control;
    char byte;
    struct iovec data = {.iov_base = &byte, .iov_len = 1};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    if (recvmsg(descriptor, &message, MSG_PEEK | MSG_DONTWAIT | MSG_CMSG_CLOEXEC) <= 0)
        return 0;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    // SCM_CREDENTIALS, which is GNU's.
    if (header == NULL || header->cmsg_level != SOL_SOCKET || header->cmsg_type != 2)
        return -1;
    memcpy(&credentials, CMSG_DATA(header), sizeof credentials);
    return credentials.process;
}

// prctl(2) is variadic too, and pthread_setname_np(3) is GNU's.
static inline int locationd_set_thread_name(const char *name) { return prctl(PR_SET_NAME, name); }

// malloc_trim(3), mallinfo2(3) and mallopt(3) are GNU's, too.
static inline void locationd_give_back_memory(void) { malloc_trim(0); }
static inline size_t locationd_memory_in_use(void) {
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}
static inline int locationd_use_one_heap(void) { return mallopt(M_ARENA_MAX, 1); }

// Gives two files each other's names, in one step: renameat2(2) with RENAME_EXCHANGE.
static inline int locationd_exchange(const char *one, const char *other) {
    return (int)syscall(SYS_renameat2, AT_FDCWD, one, AT_FDCWD, other, 2);
}

// Sets a timer of timerfd_create(2) to a time of the wall clock. Swift finds timespec in one of several modules, depending on the
// build. Fails with ECANCELED, but sets it, when the clock was set since the timer was last set or read.
static inline int locationd_set_wall_clock_timer(int descriptor, long long seconds, long nanoseconds) {
    struct itimerspec setting = {.it_value = {.tv_sec = (time_t)seconds, .tv_nsec = nanoseconds}};
    return timerfd_settime(descriptor, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &setting, NULL);
}

// True if two threads have one table of descriptors: kcmp(2) with KCMP_FILES. False also where the kernel does not tell.
static inline int locationd_shares_descriptors(int thread, int other) {
    return syscall(SYS_kcmp, thread, other, 2, 0, 0) == 0;
}

// The state of a TCP socket, TCP_ESTABLISHED or another of <netinet/tcp.h>; -1 if it is none. `struct tcp_info` begins with it.
static inline int locationd_tcp_state(int descriptor) {
    unsigned char information[256];
    socklen_t size = sizeof information;
    // IPPROTO_TCP and TCP_INFO.
    return getsockopt(descriptor, 6, 11, information, &size) == 0 && size > 0 ? information[0] : -1;
}

// Opens a socket of the kernel's socket table: sock_diag(7). The kinds of sockets belong to several modules for Swift.
static inline int locationd_open_socket_table(void) {
    return socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
}
