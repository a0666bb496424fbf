// A user who does what he can to delay others: a process of his own with thousands of connections.
#define _GNU_SOURCE
#include "benchmark_load.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct {
    int descriptor;
    int turn;
    bool repeats;
} connection;

static void say(connection *connection, const char *request) {
    // What does not fit is said no more: the server has long stopped reading then.
    (void)!send(connection->descriptor, request, strlen(request) + 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

// Each answer is awaited but the last, which the loop below reads.
static void say_first(connection *connection, const hostile_call *call) {
    const char *at = strchr(call->request, '@');
    for (int number = 0; number < call->repetitions; number++) {
        char text[1024];
        if (at) {
            snprintf(text, sizeof text, "%.*s%d%s", (int)(at - call->request), call->request, number, at + 1);
        }
        say(connection, at ? text : call->request);
        if (number + 1 == call->repetitions) return;
        struct pollfd readable = {.fd = connection->descriptor, .events = POLLIN};
        char answer[4096];
        if (poll(&readable, 1, 5000) != 1 || read(connection->descriptor, answer, sizeof answer) <= 0) _exit(4);
    }
}

static void run(const char *path, uid_t user, const hostile_call *calls, int call_count, int ready) {
    int total = 0;
    for (int index = 0; index < call_count; index++) total += calls[index].connections;
    connection *connections = calloc((size_t)total, sizeof *connections);
    const hostile_call **calls_of = calloc((size_t)total, sizeof *calls_of);
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    if (!connections || !calls_of || epoll < 0) _exit(1);
    int made = 0;
    for (int index = 0; index < call_count; index++) {
        for (int number = 0; number < calls[index].connections; number++) {
            connection *connection = &connections[made];
            connection->descriptor = unix_connect_as(path, user);
            if (connection->descriptor < 0) _exit(2);
            fcntl(connection->descriptor, F_SETFL, O_NONBLOCK);
            connection->repeats = calls[index].again != NULL;
            calls_of[made] = &calls[index];
            struct epoll_event event = {.events = EPOLLIN, .data.u32 = (uint32_t)made++};
            if (epoll_ctl(epoll, EPOLL_CTL_ADD, connection->descriptor, &event) != 0) _exit(3);
        }
    }
    for (int index = 0; index < made; index++) say_first(&connections[index], calls_of[index]);
    (void)!write(ready, "", 1);
    static char buffer[65536];
    struct epoll_event events[256];
    for (;;) {
        int count = epoll_wait(epoll, events, 256, -1);
        for (int number = 0; number < count; number++) {
            int index = (int)events[number].data.u32;
            connection *connection = &connections[index];
            ssize_t size = read(connection->descriptor, buffer, sizeof buffer);
            if (size < 0 && errno == EAGAIN) continue;
            if (size <= 0) {
                close(connection->descriptor);
                continue;
            }
            if (connection->repeats && buffer[size - 1] == 0) {
                say(connection, connection->turn++ % 2 ? calls_of[index]->request : calls_of[index]->again);
            }
        }
    }
}

pid_t hostile_start(const char *path, uid_t user, const hostile_call *calls, int call_count) {
    int ready[2];
    if (pipe2(ready, O_CLOEXEC) != 0) return -1;
    pid_t parent = getpid();
    pid_t process = fork();
    if (process == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        signal(SIGTERM, SIG_DFL);
        alarm(0);
        if (getppid() == parent) run(path, user, calls, call_count, ready[1]);
        _exit(0);
    }
    close(ready[1]);
    char byte;
    bool is_ready = process > 0 && read(ready[0], &byte, 1) == 1;
    close(ready[0]);
    if (is_ready || process < 0) return process;
    process_end(process);
    return -1;
}
