#define _GNU_SOURCE
#include "benchmark_load.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int64_t monotonic_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

void process_cpus(int *first, int *last) {
    cpu_set_t allowed;
    *first = *last = -1;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, &allowed)) continue;
        if (*first < 0) *first = cpu;
        *last = cpu;
    }
}

static void bind_to(int cpu) {
    if (cpu < 0) return;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    sched_setaffinity(0, sizeof set, &set);
}

static void limit_descriptors(int count) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= (rlim_t)count) return;
    const struct rlimit raised = {.rlim_cur = (rlim_t)count, .rlim_max = (rlim_t)count};
    if (limit.rlim_max < (rlim_t)count && setrlimit(RLIMIT_NOFILE, &raised) == 0) return;
    limit.rlim_cur = (rlim_t)count < limit.rlim_max ? (rlim_t)count : limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

static volatile sig_atomic_t interrupted;

static void interrupt(int signal) {
    (void)signal;
    interrupted = 1;
}

bool process_is_interrupted(void) { return interrupted; }

void process_prepare(int cpu, int descriptors, unsigned seconds) {
    bind_to(cpu);
    limit_descriptors(descriptors);
    // For the load and all servers alike, where it is allowed.
    setpriority(PRIO_PROCESS, 0, -10);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGINT, interrupt);
    signal(SIGTERM, interrupt);
    signal(SIGALRM, interrupt);
    setvbuf(stdout, NULL, _IOLBF, 0);
    alarm(seconds);
}

pid_t process_start(const process_plan *plan) {
    pid_t parent = getpid();
    pid_t process = fork();
    if (process != 0) return process;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127);
    alarm(0);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGALRM, SIG_DFL);
    bind_to(plan->cpu);
    limit_descriptors(plan->descriptors);
    int log = open(plan->log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    int null = open("/dev/null", O_RDONLY);
    if (log < 0 || null < 0) _exit(127);
    dup2(null, STDIN_FILENO);
    dup2(log, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    close_range(3, ~0U, 0);
    unsetenv("LISTEN_PID");
    unsetenv("LISTEN_FDS");
    if (plan->notify_socket) {
        setenv("NOTIFY_SOCKET", plan->notify_socket, 1);
    } else {
        unsetenv("NOTIFY_SOCKET");
    }
    if (plan->preload) setenv("LD_PRELOAD", plan->preload, 1);
    execv(plan->arguments[0], (char *const *)plan->arguments);
    _exit(127);
}

void process_end(pid_t process) {
    if (process <= 0) return;
    kill(process, SIGTERM);
    int64_t deadline = monotonic_now() + 2000000000LL;
    while (waitpid(process, NULL, WNOHANG) == 0) {
        if (monotonic_now() > deadline) {
            kill(process, SIGKILL);
            waitpid(process, NULL, 0);
            return;
        }
        poll(NULL, 0, 5);
    }
}

int64_t process_cpu_time(pid_t process) {
    clockid_t clock;
    struct timespec used;
    if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &used) != 0) return -1;
    return used.tv_sec * 1000000000LL + used.tv_nsec;
}

int notify_listen(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) return -1;
    strcpy(address.sun_path, path);
    int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return -1;
    unlink(path);
    if (bind(descriptor, (struct sockaddr *)&address, sizeof address) == 0) return descriptor;
    close(descriptor);
    return -1;
}

int64_t notify_wait_ready(int descriptor, double timeout) {
    int64_t deadline = monotonic_now() + (int64_t)(timeout * 1e9);
    for (;;) {
        int64_t left = (deadline - monotonic_now()) / 1000000;
        struct pollfd request = {.fd = descriptor, .events = POLLIN};
        if (left < 0 || poll(&request, 1, (int)left) <= 0) return -1;
        int64_t moment = monotonic_now();
        char text[512];
        ssize_t size = recv(descriptor, text, sizeof text - 1, 0);
        if (size < 0) return -1;
        text[size] = 0;
        if (strstr(text, "READY=1")) return moment;
    }
}
