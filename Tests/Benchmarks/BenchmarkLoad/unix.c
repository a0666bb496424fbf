#define _GNU_SOURCE
#include "benchmark_load.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

static bool make_address(const char *path, struct sockaddr_un *address) {
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    if (strlen(path) >= sizeof address->sun_path) return false;
    strcpy(address->sun_path, path);
    return true;
}

int unix_listen(const char *path) {
    struct sockaddr_un address;
    if (!make_address(path, &address)) return -1;
    int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (descriptor < 0) return -1;
    unlink(path);
    if (bind(descriptor, (struct sockaddr *)&address, sizeof address) == 0 && listen(descriptor, 4) == 0) {
        return descriptor;
    }
    close(descriptor);
    return -1;
}

int unix_accept(int listener) { return accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK); }

int unix_connect(const char *path) {
    struct sockaddr_un address;
    if (!make_address(path, &address)) return -1;
    int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return -1;
    // Waits while the server's queue of connections is full, but not for ever.
    struct timeval limit = {.tv_sec = 5};
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    if (connect(descriptor, (struct sockaddr *)&address, sizeof address) == 0) return descriptor;
    close(descriptor);
    return -1;
}

int unix_connect_as(const char *path, uid_t user) {
    // The kernel notes the effective user of who connects.
    const uid_t own = geteuid();
    if (user != own && seteuid(user) != 0) return -1;
    int descriptor = unix_connect(path);
    if (user != own && seteuid(own) != 0) {
        close(descriptor);
        return -1;
    }
    return descriptor;
}
