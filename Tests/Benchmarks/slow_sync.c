// A disk that takes five milliseconds to synchronise a file: preloaded into the server under test.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>

static int slowly(const char *name, int descriptor) {
    const struct timespec delay = {.tv_nsec = 5000000};
    nanosleep(&delay, NULL);
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
    return real(descriptor);
}

int fsync(int descriptor) { return slowly("fsync", descriptor); }
int fdatasync(int descriptor) { return slowly("fdatasync", descriptor); }
