// What the files of the load share.
#ifndef LOAD_H
#define LOAD_H

#include "benchmark_load.h"

enum { MAXIMUM_SERVERS = 2, STALLED = -1, READ_SIZE = 65536, MESSAGE_SIZE = 4096 };

/// A fix that was sent.
typedef struct {
    int64_t sent;        ///< When, or 0 if it was not yet.
    int64_t last;        ///< When the newest of those it reached had it.
    int64_t cpu;         ///< The server's CPU time just before.
    int reached;         ///< How many it reached.
} fix;

typedef struct {
    int descriptor;
    int server;            ///< Its server, or STALLED if it does not read.
    int newest;            ///< The index of the newest fix, or -1.
    int64_t counted;       ///< Fixes that count and came in their order.
    int64_t said;          ///< How many it missed since the newest, as the server said.
    int64_t skipped;       ///< Fixes that count and that it missed, as the server said.
    size_t partial_size;
    char *partial;         ///< The beginning of a message whose end has not come.
} subscriber;

typedef struct {
    int listener;
    int gpsd;              ///< The connection of the server to its gpsd, or -1.
    bool is_watching;
    int subscribers;
    int64_t counted_from;  ///< The index of the first fix that counts.
    fix *fixes;
    int fix_count;
    int sent;
    int64_t bytes;
    int64_t messages;
    int64_t received;        // Messages of any kind.
    int timestamp_at;      ///< Where in the last message the timestamp was.
    char newest[MESSAGE_SIZE];
} server;

struct load {
    int epoll;
    int timer;
    int server_count;
    server servers[MAXIMUM_SERVERS];
    subscriber *subscribers;
    int subscriber_count;
    int64_t base;          ///< The time of fix 0, in milliseconds since 1970.
    int64_t step;          ///< Milliseconds from fix to fix.
    int64_t next;          ///< When the next fix is due, on the monotonic clock.
    int64_t interval;      ///< Nanoseconds from one to the next of all servers.
    int due;               ///< How many have been sent to all servers; -1 while none are to be sent.
    const pid_t *processes;
    int crossing;          ///< Fixes from one jump by 11 km to the next, or 0.
};

/// What a descriptor in the epoll set is.
enum kind { TIMER, LISTENER, GPSD, SUBSCRIBER, CALLER };

bool load_watch(load *load, int descriptor, enum kind kind, int index);

/// Handles events until the moment, or until `is_done` says so. Events of callers go to `called`.
void load_run(
    load *load, int64_t until, bool (*is_done)(void *), void (*called)(void *, int index), void *context);

// The gpsd look-alike.
void gpsd_accept(load *load, int index);
void gpsd_read(load *load, int index);
void gpsd_send_due(load *load);
void gpsd_start(load *load, double interval, int fixes);
void gpsd_stop(load *load);

// The subscribers.
void subscriber_read(load *load, int index);

#endif
