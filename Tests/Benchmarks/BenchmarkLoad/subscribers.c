// Subscribers that do no more than find out which fix a message carries, by its timestamp.
#define _GNU_SOURCE
#include "load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char key[] = "\"timestamp\":\"";
static const char skipped_key[] = "\"skipped\":";

static int64_t digits(const char *text, int count) {
    int64_t value = 0;
    while (count-- > 0) value = value * 10 + (*text++ - '0');
    return value;
}

/// The index of the fix with this time, `2026-11-21T08:30:00.000Z`, or -1.
///
/// All fixes of a run are of the same hour or the next ones, so the date is only looked at through its seconds.
static int fix_index(const load *load, const char *text) {
    time_t base = load->base / 1000;
    struct tm date;
    gmtime_r(&base, &date);
    int64_t seconds = digits(text + 11, 2) * 3600 + digits(text + 14, 2) * 60 + digits(text + 17, 2);
    seconds -= date.tm_hour * 3600 + date.tm_min * 60 + date.tm_sec;
    if (seconds < -43200) seconds += 86400;
    int64_t time = seconds * 1000;
    if (text[19] == '.') {
        int count = 0;
        while (count < 3 && text[20 + count] >= '0' && text[20 + count] <= '9') count++;
        int64_t fraction = digits(text + 20, count);
        for (; count < 3; count++) fraction *= 10;
        time += fraction;
    }
    if (time < 0 || load->step == 0 || time % load->step != 0) return -1;
    return (int)(time / load->step);
}

/// How many fixes the message says were left out before it; a diagnostic can say so too.
static int64_t skipped(const char *message, size_t size) {
    const char *found = memmem(message, size, skipped_key, sizeof skipped_key - 1);
    return found ? strtol(found + sizeof skipped_key - 1, NULL, 10) : 0;
}

static void received(load *load, subscriber *subscriber, const char *message, size_t size) {
    server *server = &load->servers[subscriber->server];
    server->received++;
    const size_t key_size = sizeof key - 1;
    const char *found = message + server->timestamp_at;
    if ((size_t)server->timestamp_at + key_size + 24 > size || memcmp(found, key, key_size) != 0) {
        found = memmem(message, size, key, key_size);
        // No location: a diagnostic.
        if (!found || found + key_size + 24 > message + size) {
            subscriber->said += skipped(message, size);
            return;
        }
        server->timestamp_at = (int)(found - message);
    }
    int index = fix_index(load, found + key_size);
    if (index < 0 || index >= server->sent) return;
    if (size < MESSAGE_SIZE) {
        memcpy(server->newest, message, size);
        server->newest[size] = 0;
    }
    fix *fix = &server->fixes[index];
    if (index > subscriber->newest) {
        // The moment only matters once all have it.
        if (++fix->reached == server->subscribers) fix->last = monotonic_now();
        if (index >= server->counted_from) {
            subscriber->counted++;
            int64_t first = subscriber->newest + 1;
            int64_t missing = index - (first > server->counted_from ? first : server->counted_from);
            if (missing > 0) {
                // What the server does not own up to is lost.
                int64_t said = subscriber->said + skipped(message, size);
                subscriber->skipped += said < missing ? said : missing;
            }
        }
        subscriber->said = 0;
        subscriber->newest = index;
    } else {
        // Twice or backwards: as bad as lost.
        subscriber->counted--;
    }
    server->messages++;
    server->bytes += (int64_t)size + 1;
}

void subscriber_read(load *load, int index) {
    static char buffer[READ_SIZE];
    subscriber *subscriber = &load->subscribers[index];
    size_t size = subscriber->partial_size;
    if (size) memcpy(buffer, subscriber->partial, size);
    ssize_t more = read(subscriber->descriptor, buffer + size, sizeof buffer - size);
    if (more < 0 && errno == EAGAIN) return;
    if (more <= 0) {
        close(subscriber->descriptor);
        subscriber->descriptor = -1;
        return;
    }
    size += (size_t)more;
    char *start = buffer;
    char *end;
    while ((end = memchr(start, 0, size))) {
        received(load, subscriber, start, (size_t)(end - start));
        size -= (size_t)(end + 1 - start);
        start = end + 1;
    }
    subscriber->partial_size = size;
    if (size == 0) return;
    if (!subscriber->partial) subscriber->partial = malloc(READ_SIZE);
    if (subscriber->partial) memcpy(subscriber->partial, start, size);
}
