// What surrounds a server under test: a gpsd look-alike before it, its clients behind it, and its process.
//
// All of it runs on one thread of the benchmark, so that the moment when gpsd writes a fix and the moment when the last
// subscriber has read it are taken by the same clock in the same place. Nothing here waits for ever: every call has a
// deadline.
#ifndef BENCHMARK_LOAD_H
#define BENCHMARK_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// A process to start.
typedef struct {
    const char *const *arguments;    ///< The first is the path of the program; NULL ends them.
    const char *notify_socket;       ///< `NOTIFY_SOCKET` of the process, or NULL for none.
    const char *preload;             ///< `LD_PRELOAD` of the process, or NULL for none.
    const char *log;                 ///< The file that its standard output and standard error go to.
    int cpu;                         ///< The only CPU it may use, or -1 for all.
    int descriptors;                 ///< Its limit of descriptors; as many as are allowed if there are fewer.
} process_plan;

/// Starts a process which does not outlive the calling thread. Returns its id or -1.
pid_t process_start(const process_plan *plan);

/// Asks a process to end, makes it end after two seconds, and reaps it.
void process_end(pid_t process);

/// Binds the calling thread to a CPU, raises its priority and its limit of descriptors, prints by lines, and
/// interrupts itself after `seconds`.
void process_prepare(int cpu, int descriptors, unsigned seconds);

/// Whether the program has been told to end, by a signal or the time. Whatever waits then returns at once.
bool process_is_interrupted(void);

/// The first and the last CPU that may be used; the same if there is but one.
void process_cpus(int *first, int *last);

/// The CPU time that all threads of a process have used, in nanoseconds; -1 if it is gone.
int64_t process_cpu_time(pid_t process);

/// A datagram socket as a service manager has it, for `process_wait_ready`. -1 if it cannot be made.
int notify_listen(const char *path);

/// Waits until a process says that it is ready. Returns the moment on the monotonic clock in nanoseconds, or -1.
int64_t notify_wait_ready(int socket, double timeout);

/// The monotonic clock in nanoseconds.
int64_t monotonic_now(void);

/// Listens on a Unix socket at `path`, in place of whatever is there, without blocking. -1 if that cannot be.
int unix_listen(const char *path);

/// The next connection to it, which does not block, or -1.
int unix_accept(int listener);

/// A connection to a Unix socket, or -1. It waits for at most five seconds, and blocks.
int unix_connect(const char *path);

/// The same as another user, for root. For programs of a single thread.
int unix_connect_as(const char *path, uid_t user);

/// One or two servers with their gpsd and their subscribers.
typedef struct load load;

/// A load for these servers. NULL if there is no memory.
load *load_create(int servers);

/// Ends all connections.
void load_destroy(load *load);

/// Listens at `path` as the gpsd of `server`.
bool load_listen(load *load, int server, const char *path);

/// Connects `count` subscribers and sends `request`, NUL included, on each connection.
bool load_subscribe(load *load, int server, const char *path, const char *request, int count);

/// The same with some that never read. They do not count.
bool load_subscribe_stalled(load *load, int server, const char *path, const char *request, int count);

/// Serves gpsd's side and reads what comes for so long. Returns false if interrupted.
bool load_idle(load *load, double seconds);

/// What became of the fixes that were counted.
typedef struct {
    int64_t deliveries;        ///< Fixes that reached a subscriber.
    int64_t skipped;           ///< Fixes that did not because the load was too slow to read, as the server said.
    int64_t lost;              ///< Fixes that did not for no such reason, or not in their order, or twice.
    int64_t cpu;               ///< CPU time of the server meanwhile, in nanoseconds.
    double message_size;       ///< Bytes of a delivery, NUL included.
    double last_median;        ///< From gpsd's write until the last subscriber has read it, in microseconds: the median
    double last_99th;          ///< and the 99th percentile.
} load_result;

/// Has gpsd send `warmup` fixes and `fixes` more, which count, to each server: the second server gets its own half an
/// interval after the first, so that whatever else the machine does hits both. Returns false if a server was not
/// there or did not watch its gpsd.
bool load_feed(
    load *load, const pid_t *servers, double interval, int warmup, int fixes, load_result *results);

/// Has gpsd jump 11 km to the north and back, each time after so many fixes; 0 for never.
void load_set_crossing(load *load, int fixes);

/// The newest delivery, NUL excluded, or NULL.
const char *load_newest_message(const load *load, int server);

/// How many messages of any kind its subscribers have received.
int64_t load_received(const load *load, int server);

/// What became of one-shot calls.
typedef struct {
    int64_t answered;      ///< Calls that were answered with a location.
    int64_t failed;        ///< Calls that were not.
    int64_t cpu;           ///< CPU time of the server meanwhile, in nanoseconds.
    double seconds;        ///< How long it took.
} call_result;

/// Connects, calls, reads the answer and closes, over and over, `concurrency` at a time, while gpsd sends a fix every
/// `interval` seconds.
bool load_calls(
    load *load, pid_t server, const char *path, const char *request, int concurrency, double interval,
    double seconds, call_result *result);

/// A call that one user makes again and again on a connection of its own, and that is timed.
typedef struct {
    uid_t user;
    const char *request;   ///< In which @ stands for a number, one more each time.
    double pause;          ///< Seconds from an answer to the next call.
} timed_call;

/// What became of a timed call.
typedef struct {
    int count;             ///< How many were answered
    int failed;            ///< and how many of those with an error.
    double median;         ///< From the call to its answer, in microseconds: the median,
    double time_99th;      ///< the 99th percentile
    double longest;        ///< and the longest.
} timed_result;

/// Makes calls for so long while gpsd sends a fix every `interval` seconds to the only server, and says what became of
/// the calls and of the fixes at the server's subscribers.
bool load_timed_calls(
    load *load, pid_t server, const char *path, const timed_call *calls, int count, double interval, double seconds,
    timed_result *results, load_result *fixes);

/// What a hostile user does on some connections.
typedef struct {
    int connections;
    const char *request;   ///< Said at first, with its number on the connection in place of @,
    int repetitions;       ///< so many times;
    const char *again;     ///< and after an answer this and `request` in turn, without end; NULL to only read.
} hostile_call;

/// Starts a process with these connections of a user; for root. It does not outlive the calling thread and is ended by
/// `process_end`. Returns its id once all have called, or -1.
pid_t hostile_start(const char *path, uid_t user, const hostile_call *calls, int count);

#endif
