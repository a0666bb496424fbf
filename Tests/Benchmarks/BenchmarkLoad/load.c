#define _GNU_SOURCE
#include "load.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

bool load_watch(load *load, int descriptor, enum kind kind, int index) {
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = (uint64_t)kind << 32 | (uint32_t)index};
    return epoll_ctl(load->epoll, EPOLL_CTL_ADD, descriptor, &event) == 0;
}

load *load_create(int servers) {
    load *load = calloc(1, sizeof *load);
    if (!load || servers > MAXIMUM_SERVERS) return NULL;
    load->server_count = servers;
    load->due = -1;
    for (int index = 0; index < servers; index++) load->servers[index].listener = load->servers[index].gpsd = -1;
    load->epoll = epoll_create1(EPOLL_CLOEXEC);
    load->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    load_watch(load, load->timer, TIMER, 0);
    return load;
}

void load_destroy(load *load) {
    if (!load) return;
    for (int index = 0; index < load->subscriber_count; index++) {
        if (load->subscribers[index].descriptor >= 0) close(load->subscribers[index].descriptor);
        free(load->subscribers[index].partial);
    }
    for (int index = 0; index < load->server_count; index++) {
        if (load->servers[index].listener >= 0) close(load->servers[index].listener);
        if (load->servers[index].gpsd >= 0) close(load->servers[index].gpsd);
        free(load->servers[index].fixes);
    }
    free(load->subscribers);
    close(load->timer);
    close(load->epoll);
    free(load);
}

bool load_listen(load *load, int index, const char *path) {
    int descriptor = unix_listen(path);
    if (descriptor < 0) return false;
    load->servers[index].listener = descriptor;
    return load_watch(load, descriptor, LISTENER, index);
}

static bool say_request(int descriptor, const char *request) {
    size_t size = strlen(request) + 1;
    if (send(descriptor, request, size, MSG_NOSIGNAL) != (ssize_t)size) return false;
    return fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0;
}

static bool subscribe(load *load, int server, const char *path, const char *request, int count, bool is_stalled) {
    size_t total = (size_t)(load->subscriber_count + count);
    subscriber *grown = realloc(load->subscribers, total * sizeof *grown);
    if (!grown) return false;
    load->subscribers = grown;
    for (; count > 0; count--) {
        int descriptor = unix_connect(path);
        if (descriptor < 0) return false;
        if (!say_request(descriptor, request)) {
            close(descriptor);
            return false;
        }
        int index = load->subscriber_count++;
        load->subscribers[index] = (subscriber){
            .descriptor = descriptor, .server = is_stalled ? STALLED : server, .newest = -1};
        if (is_stalled) continue;
        load->servers[server].subscribers++;
        if (!load_watch(load, descriptor, SUBSCRIBER, index)) return false;
    }
    return true;
}

bool load_subscribe(load *load, int server, const char *path, const char *request, int count) {
    return subscribe(load, server, path, request, count, false);
}

bool load_subscribe_stalled(load *load, int server, const char *path, const char *request, int count) {
    return subscribe(load, server, path, request, count, true);
}

void load_run(
    load *load, int64_t until, bool (*is_done)(void *), void (*called)(void *, int index), void *context) {
    struct epoll_event events[256];
    for (;;) {
        int64_t left = until - monotonic_now();
        if (left <= 0 || process_is_interrupted() || (is_done && is_done(context))) return;
        int count = epoll_wait(load->epoll, events, 256, (int)(left / 1000000) + 1);
        if (count < 0 && errno != EINTR) return;
        for (int number = 0; number < count; number++) {
            int index = (int)(uint32_t)events[number].data.u64;
            switch ((enum kind)(events[number].data.u64 >> 32)) {
            case TIMER: gpsd_send_due(load); break;
            case LISTENER: gpsd_accept(load, index); break;
            case GPSD: gpsd_read(load, index); break;
            case SUBSCRIBER: subscriber_read(load, index); break;
            case CALLER: called(context, index); break;
            }
        }
    }
}

bool load_idle(load *load, double seconds) {
    load_run(load, monotonic_now() + (int64_t)(seconds * 1e9), NULL, NULL, NULL);
    return !process_is_interrupted();
}

static bool all_watch(void *context) {
    const load *load = context;
    for (int index = 0; index < load->server_count; index++) {
        if (!load->servers[index].is_watching) return false;
    }
    return true;
}

static bool all_sent(void *context) {
    const load *load = context;
    for (int index = 0; index < load->server_count; index++) {
        if (load->servers[index].sent < load->servers[index].fix_count) return false;
    }
    return true;
}

static bool all_arrived(void *context) {
    const load *load = context;
    if (!all_sent(context)) return false;
    for (int index = 0; index < load->server_count; index++) {
        const server *server = &load->servers[index];
        for (int number = (int)server->counted_from; number < server->fix_count; number++) {
            if (server->fixes[number].reached < server->subscribers) return false;
        }
    }
    return true;
}

static int ascending(const void *left, const void *right) {
    double difference = *(const double *)left - *(const double *)right;
    return (difference > 0) - (difference < 0);
}

static load_result result_of(const load *load, int index, int64_t cpu) {
    const server *server = &load->servers[index];
    load_result result = {0};
    int fixes = server->fix_count - (int)server->counted_from;
    for (int number = 0; number < load->subscriber_count; number++) {
        if (load->subscribers[number].server != index) continue;
        result.deliveries += load->subscribers[number].counted;
        result.skipped += load->subscribers[number].skipped;
        int64_t missing = fixes - load->subscribers[number].counted - load->subscribers[number].skipped;
        result.lost += missing < 0 ? -missing : missing;
    }
    result.cpu = cpu - server->fixes[server->counted_from].cpu;
    result.message_size = server->messages ? (double)server->bytes / (double)server->messages : 0;
    double *times = calloc((size_t)fixes, sizeof *times);
    int count = 0;
    for (int number = 0; times && number < fixes; number++) {
        const fix *fix = &server->fixes[server->counted_from + number];
        if (fix->last) times[count++] = (double)(fix->last - fix->sent) / 1000;
    }
    if (count) {
        qsort(times, (size_t)count, sizeof *times, ascending);
        result.last_median = times[count / 2];
        result.last_99th = times[count * 99 / 100];
    }
    free(times);
    return result;
}

bool load_feed(
    load *load, const pid_t *processes, double interval, int warmup, int fixes, load_result *results) {
    load_run(load, monotonic_now() + 10000000000LL, all_watch, NULL, load);
    if (!all_watch(load)) return false;
    load->processes = processes;
    gpsd_start(load, interval, warmup + fixes);
    for (int index = 0; index < load->server_count; index++) load->servers[index].counted_from = warmup;
    int64_t duration = (int64_t)((warmup + fixes) * interval * 1e9);
    load_run(load, monotonic_now() + 2 * duration + 10000000000LL, all_sent, NULL, load);
    load_run(load, monotonic_now() + 2000000000LL, all_arrived, NULL, load);
    for (int index = 0; index < load->server_count; index++) {
        int64_t cpu = process_cpu_time(processes[index]);
        if (cpu < 0) return false;
        results[index] = result_of(load, index, cpu);
    }
    gpsd_stop(load);
    load->processes = NULL;
    return !process_is_interrupted();
}

int64_t load_received(const load *load, int server) { return load->servers[server].received; }

const char *load_newest_message(const load *load, int server) {
    return load->servers[server].newest[0] ? load->servers[server].newest : NULL;
}

// Timed calls.

typedef struct timed {
    const timed_call *call;
    timed_result *result;
    double *times;
    int capacity;
    int descriptor;
    int64_t sent;
    int64_t due;           // When to call, or 0 while an answer is waited for.
} timed;

static void say_timed(timed *timed) {
    const char *request = timed->call->request;
    const char *mark = strchr(request, '@');
    int before = mark ? (int)(mark - request) : (int)strlen(request);
    char text[1024];
    int size = mark ? snprintf(text, sizeof text, "%.*s%d%s", before, request, timed->result->count, mark + 1)
                    : snprintf(text, sizeof text, "%s", request);
    timed->sent = monotonic_now();
    timed->due = 0;
    if (send(timed->descriptor, text, (size_t)size + 1, MSG_NOSIGNAL) < 0) timed->result->failed++;
}

static void timed_answered(void *context, int index) {
    timed *timed = (struct timed *)context + index;
    char answer[8192];
    ssize_t size = read(timed->descriptor, answer, sizeof answer - 1);
    if (size < 0 && errno == EAGAIN) return;
    int64_t now = monotonic_now();
    if (size <= 0) {
        timed->result->failed++;
        timed->due = INT64_MAX;
        return;
    }
    answer[size] = 0;
    if (strstr(answer, "\"error\"")) timed->result->failed++;
    if (timed->result->count < timed->capacity) {
        timed->times[timed->result->count++] = (double)(now - timed->sent) / 1000;
    }
    timed->due = now + (int64_t)(timed->call->pause * 1e9);
}

static void finish_timed(timed *timed) {
    timed_result *result = timed->result;
    // One that is never answered has taken as long as it was waited for.
    if (timed->due == 0 && result->count < timed->capacity) {
        timed->times[result->count++] = (double)(monotonic_now() - timed->sent) / 1000;
    }
    if (result->count) {
        qsort(timed->times, (size_t)result->count, sizeof *timed->times, ascending);
        result->median = timed->times[result->count / 2];
        result->time_99th = timed->times[result->count * 99 / 100];
        result->longest = timed->times[result->count - 1];
    }
    free(timed->times);
    close(timed->descriptor);
}

bool load_timed_calls(
    load *load, pid_t process, const char *path, const timed_call *calls, int count, double interval, double seconds,
    timed_result *results, load_result *fixes) {
    enum { MAXIMUM_CALLS = 8 };
    timed all[MAXIMUM_CALLS] = {0};
    if (count > MAXIMUM_CALLS) return false;
    load_run(load, monotonic_now() + 10000000000LL, all_watch, NULL, load);
    if (!all_watch(load)) return false;
    bool is_good = true;
    load->processes = &process;
    gpsd_start(load, interval, (int)((seconds + 1) / interval) + 1);
    load->servers[0].counted_from = (int64_t)(1 / interval);
    // So that there is a fix before the first call.
    load_run(load, monotonic_now() + 1000000000LL, NULL, NULL, NULL);
    int64_t end = monotonic_now() + (int64_t)(seconds * 1e9);
    for (int index = 0; index < count; index++) {
        int capacity = (int)(seconds / calls[index].pause) + 2;
        results[index] = (timed_result){0};
        all[index] = (timed){
            .call = &calls[index], .result = &results[index], .capacity = capacity,
            .times = calloc((size_t)capacity, sizeof(double)), .descriptor = unix_connect_as(path, calls[index].user),
            .due = monotonic_now()};
        if (all[index].descriptor < 0 || fcntl(all[index].descriptor, F_SETFL, O_NONBLOCK) != 0) is_good = false;
        if (is_good) is_good = load_watch(load, all[index].descriptor, CALLER, index);
    }
    while (is_good && monotonic_now() < end && !process_is_interrupted()) {
        int64_t next = end;
        for (int index = 0; index < count; index++) {
            if (all[index].due && all[index].due <= monotonic_now()) say_timed(&all[index]);
            if (all[index].due && all[index].due < next) next = all[index].due;
        }
        int64_t soon = monotonic_now() + 2000000;
        load_run(load, next < soon ? next : soon, NULL, timed_answered, all);
    }
    for (int index = 0; index < count; index++) finish_timed(&all[index]);
    // Those that were not sent yet are not waited for.
    load->servers[0].fix_count = load->servers[0].sent;
    load_run(load, monotonic_now() + 2000000000LL, all_arrived, NULL, load);
    *fixes = result_of(load, 0, process_cpu_time(process));
    gpsd_stop(load);
    load->processes = NULL;
    return is_good && !process_is_interrupted();
}

void load_set_crossing(load *load, int fixes) { load->crossing = fixes; }

// One-shot calls.

typedef struct {
    load *load;
    const char *path;
    const char *request;
    int *descriptors;
    int64_t until;
    call_result *result;
} calling;

static void call(calling *calling, int index) {
    int descriptor = unix_connect(calling->path);
    calling->descriptors[index] = descriptor;
    if (descriptor >= 0 && say_request(descriptor, calling->request)
        && load_watch(calling->load, descriptor, CALLER, index)) return;
    calling->result->failed++;
    if (descriptor >= 0) close(descriptor);
    calling->descriptors[index] = -1;
}

static void called(void *context, int index) {
    calling *calling = context;
    char answer[4096];
    ssize_t size = read(calling->descriptors[index], answer, sizeof answer);
    if (size < 0 && errno == EAGAIN) return;
    // An answer comes in one piece: it is shorter than any socket's buffer.
    bool is_location = size > 0 && answer[size - 1] == 0 && strstr(answer, "\"latitude\"");
    if (is_location) {
        calling->result->answered++;
    } else {
        calling->result->failed++;
    }
    close(calling->descriptors[index]);
    calling->descriptors[index] = -1;
    if (monotonic_now() < calling->until) call(calling, index);
}

static bool is_watched(void *context) {
    return all_watch(((calling *)context)->load);
}

bool load_calls(
    load *load, pid_t process, const char *path, const char *request, int concurrency, double interval,
    double seconds, call_result *result) {
    *result = (call_result){0};
    calling calling = {.load = load, .path = path, .request = request, .result = result};
    load_run(load, monotonic_now() + 10000000000LL, is_watched, NULL, &calling);
    if (!is_watched(&calling)) return false;
    calling.descriptors = calloc((size_t)concurrency, sizeof *calling.descriptors);
    gpsd_start(load, interval, (int)((seconds + 3) / interval) + 10);
    // So that there is a fix before the first call.
    load_run(load, monotonic_now() + 1000000000LL, NULL, NULL, NULL);
    int64_t cpu = process_cpu_time(process);
    int64_t start = monotonic_now();
    calling.until = start + (int64_t)(seconds * 1e9);
    for (int index = 0; index < concurrency; index++) call(&calling, index);
    load_run(load, calling.until, NULL, called, &calling);
    result->seconds = (double)(monotonic_now() - start) / 1e9;
    result->cpu = process_cpu_time(process) - cpu;
    for (int index = 0; index < concurrency; index++) {
        if (calling.descriptors[index] >= 0) close(calling.descriptors[index]);
    }
    gpsd_stop(load);
    free(calling.descriptors);
    return result->answered > 0 && !process_is_interrupted();
}
