// Programs that ask GeoClue, as many as are asked for, each with a connection of its own: every one that is told of a
// location reads all of it, as all libraries do. Also their agent, which GeoClue wants to have before it serves anybody.
//
//     geoclue_clients ADDRESS COUNT SECONDS
//
// Prints "ready" once all have been started, and then a line for each location that was read: the client and the time in
// nanoseconds of CLOCK_MONOTONIC.
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <systemd/sd-bus.h>
#include <time.h>
#include <unistd.h>

#define NAME "org.freedesktop.GeoClue2"
#define PROPERTIES "org.freedesktop.DBus.Properties"

typedef struct {
    sd_bus *bus;
    int number;
    char path[128];
} client;

static int started;

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void check(int result, const char *what) {
    if (result >= 0) return;
    fprintf(stderr, "%s: %s\n", what, strerror(-result));
    exit(1);
}

static int on_read(sd_bus_message *message, void *context, sd_bus_error *error) {
    client *client = context;
    (void)error;
    if (sd_bus_message_is_method_error(message, NULL)) return 0;
    printf("%d %lld\n", client->number, now());
    return 0;
}

static int on_update(sd_bus_message *message, void *context, sd_bus_error *error) {
    client *client = context;
    const char *old, *new;
    (void)error;
    if (sd_bus_message_read(message, "oo", &old, &new) < 0) return 0;
    check(sd_bus_call_method_async(client->bus, NULL, NAME, new, PROPERTIES, "GetAll", on_read, client, "s", NAME ".Location"),
          "GetAll");
    return 0;
}

static int on_started(sd_bus_message *message, void *context, sd_bus_error *error) {
    (void)context;
    (void)error;
    if (sd_bus_message_is_method_error(message, NULL)) {
        fprintf(stderr, "Start: %s\n", sd_bus_message_get_error(message)->message);
        exit(1);
    }
    started++;
    return 0;
}

static int on_client(sd_bus_message *message, void *context, sd_bus_error *error) {
    client *client = context;
    const char *path;
    (void)error;
    if (sd_bus_message_is_method_error(message, NULL) || sd_bus_message_read(message, "o", &path) < 0) {
        fprintf(stderr, "GetClient failed\n");
        exit(1);
    }
    snprintf(client->path, sizeof client->path, "%s", path);
    const char *interface = NAME ".Client";
    check(sd_bus_call_method_async(client->bus, NULL, NAME, path, PROPERTIES, "Set", NULL, NULL, "ssv", interface, "DesktopId", "s",
                                   "geoclue-benchmark"), "Set");
    check(sd_bus_call_method_async(client->bus, NULL, NAME, path, PROPERTIES, "Set", NULL, NULL, "ssv", interface,
                                   "RequestedAccuracyLevel", "u", 8), "Set");
    check(sd_bus_call_method_async(client->bus, NULL, NAME, path, interface, "Start", on_started, client, NULL), "Start");
    return 0;
}

static int agent_level(sd_bus *bus, const char *path, const char *interface, const char *property, sd_bus_message *reply,
                       void *context, sd_bus_error *error) {
    (void)bus, (void)path, (void)interface, (void)property, (void)context, (void)error;
    return sd_bus_message_append(reply, "u", 8);
}

static int agent_authorize(sd_bus_message *message, void *context, sd_bus_error *error) {
    (void)context, (void)error;
    return sd_bus_reply_method_return(message, "bu", 1, 8);
}

static const sd_bus_vtable agent[] = {
    SD_BUS_VTABLE_START(0),
    SD_BUS_PROPERTY("MaxAccuracyLevel", "u", agent_level, 0, 0),
    SD_BUS_METHOD("AuthorizeApp", "su", "bu", agent_authorize, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_VTABLE_END,
};

static int on_agent(sd_bus_message *message, void *context, sd_bus_error *error) {
    (void)message, (void)context, (void)error;
    return 0;
}

static sd_bus *connect_to(const char *address) {
    sd_bus *bus;
    check(sd_bus_new(&bus), "sd_bus_new");
    check(sd_bus_set_address(bus, address), "address");
    check(sd_bus_set_bus_client(bus, 1), "client");
    check(sd_bus_start(bus), "start");
    return bus;
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    int count = atoi(argv[2]);
    long long end = now() + atoll(argv[3]) * 1000000000LL;
    setvbuf(stdout, NULL, _IOLBF, 0);
    client *clients = calloc(count + 1, sizeof *clients);
    int epoll = epoll_create1(0);
    for (int i = 0; i <= count; i++) {
        clients[i].number = i;
        clients[i].bus = connect_to(argv[1]);
        struct epoll_event event = {.events = EPOLLIN, .data.u32 = i};
        epoll_ctl(epoll, EPOLL_CTL_ADD, sd_bus_get_fd(clients[i].bus), &event);
    }
    // The last is the agent. It may be refused: then nobody is asked.
    sd_bus *desktop = clients[count].bus;
    check(sd_bus_add_object_vtable(desktop, NULL, "/org/freedesktop/GeoClue2/Agent", NAME ".Agent", agent, NULL), "agent");
    sd_bus_call_method_async(desktop, NULL, NAME, "/org/freedesktop/GeoClue2/Manager", NAME ".Manager", "AddAgent", on_agent,
                             NULL, "s", "geoclue-demo-agent");
    for (int i = 0; i < count; i++) {
        sd_bus *bus = clients[i].bus;
        check(sd_bus_match_signal(bus, NULL, NAME, NULL, NAME ".Client", "LocationUpdated", on_update, &clients[i]), "match");
        check(sd_bus_call_method_async(bus, NULL, NAME, "/org/freedesktop/GeoClue2/Manager", NAME ".Manager", "GetClient",
                                       on_client, &clients[i], NULL), "GetClient");
    }
    int is_ready = 0;
    while (now() < end) {
        struct epoll_event events[64];
        for (int i = 0; i <= count; i++) {
            if (sd_bus_get_events(clients[i].bus) & POLLOUT) sd_bus_flush(clients[i].bus);
        }
        int ready = epoll_wait(epoll, events, 64, 200);
        for (int i = 0; i < ready; i++) {
            client *client = &clients[events[i].data.u32];
            int result;
            while ((result = sd_bus_process(client->bus, NULL)) > 0) {}
            check(result, "bus");
        }
        if (ready <= 0) {
            for (int i = 0; i <= count; i++) while (sd_bus_process(clients[i].bus, NULL) > 0) {}
        }
        if (!is_ready && started == count) {
            is_ready = 1;
            puts("ready");
        }
    }
    return 0;
}
