// The limit that locationd is measured against: the least a program can do that reads gpsd and writes every fix to every
// subscriber of a Unix stream socket, with one write(2) each.
//
//     broadcaster SOCKET GPSD-SOCKET TEMPLATE
//
// TEMPLATE is the file with the message to send; @ in it stands for the time of the fix. Nothing of a fix but its time
// is looked at, nobody is identified, nothing is checked, and who does not read in time is dropped.
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { MAXIMUM = 65536 };

static int epoll;
static int gpsd = -1;
static const char *gpsd_path;
static int subscribers[MAXIMUM];
static int subscriber_count;
static char head[4096], tail[4096];

static int make_socket(const char *path, struct sockaddr_un *address) {
    int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    address->sun_family = AF_UNIX;
    if (descriptor < 0 || strlen(path) >= sizeof address->sun_path) exit(1);
    strcpy(address->sun_path, path);
    return descriptor;
}

static void watch(int descriptor) {
    struct epoll_event event = {.events = EPOLLIN, .data.fd = descriptor};
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) != 0) exit(1);
}

static void connect_gpsd(void) {
    struct sockaddr_un address = {0};
    gpsd = make_socket(gpsd_path, &address);
    if (connect(gpsd, (struct sockaddr *)&address, sizeof address) != 0) exit(1);
    static const char command[] = "?WATCH={\"enable\":true,\"json\":true}\n";
    if (write(gpsd, command, sizeof command - 1) < 0) exit(1);
    watch(gpsd);
}

static void drop(int descriptor) {
    for (int index = 0; index < subscriber_count; index++) {
        if (subscribers[index] == descriptor) subscribers[index] = subscribers[--subscriber_count];
    }
    close(descriptor);
}

static void publish(const char *line) {
    static const char key[] = "\"time\":\"";
    const char *time = strstr(line, key);
    if (!strstr(line, "\"class\":\"TPV\"") || !time) return;
    time += sizeof key - 1;
    char message[sizeof head + sizeof tail + 64];
    int size = snprintf(message, sizeof message, "%s%.*s%s", head, (int)strcspn(time, "\""), time, tail) + 1;
    for (int index = subscriber_count - 1; index >= 0; index--) {
        if (write(subscribers[index], message, (size_t)size) != size) drop(subscribers[index]);
    }
}

static void read_gpsd(void) {
    static char buffer[65536];
    static size_t used;
    ssize_t size = read(gpsd, buffer + used, sizeof buffer - 1 - used);
    if (size <= 0) exit(0);
    used += (size_t)size;
    buffer[used] = 0;
    char *start = buffer;
    for (char *end; (end = strchr(start, '\n')); start = end + 1) {
        *end = 0;
        publish(start);
    }
    used -= (size_t)(start - buffer);
    memmove(buffer, start, used);
}

static void read_subscriber(int descriptor) {
    char request[4096];
    ssize_t size = read(descriptor, request, sizeof request);
    if (size < 0 && errno == EAGAIN) return;
    if (size <= 0) return drop(descriptor);
    if (!memchr(request, 0, (size_t)size) || subscriber_count == MAXIMUM) return;
    subscribers[subscriber_count++] = descriptor;
    if (gpsd < 0) connect_gpsd();
}

static void read_template(const char *path) {
    FILE *file = fopen(path, "r");
    if (!file || fscanf(file, "%4095[^@]@%4095[^\n]", head, tail) != 2) exit(1);
    fclose(file);
}

int main(int count, char **arguments) {
    if (count != 4) return 64;
    struct sockaddr_un address = {0};
    int listener = make_socket(arguments[1], &address);
    gpsd_path = arguments[2];
    read_template(arguments[3]);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 256) != 0) return 1;
    epoll = epoll_create1(EPOLL_CLOEXEC);
    watch(listener);
    struct epoll_event events[256];
    for (;;) {
        int ready = epoll_wait(epoll, events, 256, -1);
        for (int index = 0; index < ready; index++) {
            int descriptor = events[index].data.fd;
            if (descriptor == listener) {
                int new = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
                if (new >= 0) watch(new);
            } else if (descriptor == gpsd) {
                read_gpsd();
            } else {
                read_subscriber(descriptor);
            }
        }
    }
}
