// A gpsd as its clients see it: the banner, DEVICES and WATCH when asked to watch, and TPV lines at a steady rate, each
// of a time of its own. There is no receiver and no SKY.
#define _GNU_SOURCE
#include "load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static const char banner[] =
    "{\"class\":\"VERSION\",\"release\":\"3.22\",\"rev\":\"3.22\",\"proto_major\":3,\"proto_minor\":14}\r\n";
static const char watching[] =
    "{\"class\":\"DEVICES\",\"devices\":[{\"class\":\"DEVICE\",\"path\":\"/dev/ttyS0\",\"driver\":\"NMEA0183\","
    "\"activated\":\"2026-01-01T00:00:00.000Z\",\"flags\":1,\"native\":0,\"bps\":9600,\"parity\":\"N\","
    "\"stopbits\":1,\"cycle\":1.00}]}\r\n"
    "{\"class\":\"WATCH\",\"enable\":true,\"json\":true,\"nmea\":false,\"raw\":0,\"scaled\":false,\"timing\":false,"
    "\"split24\":false,\"pps\":false}\r\n";

static void say(server *server, const char *text, size_t size) {
    // A few hundred bytes fit into the socket's buffer unless the server has stopped reading, and then it loses fixes.
    (void)!send(server->gpsd, text, size, MSG_NOSIGNAL | MSG_DONTWAIT);
}

void gpsd_accept(load *load, int index) {
    server *server = &load->servers[index];
    int descriptor = unix_accept(server->listener);
    if (descriptor < 0) return;
    if (server->gpsd >= 0) close(server->gpsd);
    server->gpsd = descriptor;
    server->is_watching = false;
    load_watch(load, descriptor, GPSD, index);
    say(server, banner, sizeof banner - 1);
}

void gpsd_read(load *load, int index) {
    server *server = &load->servers[index];
    char text[1024];
    ssize_t size = read(server->gpsd, text, sizeof text - 1);
    if (size < 0 && errno == EAGAIN) return;
    if (size <= 0) {
        close(server->gpsd);
        server->gpsd = -1;
        server->is_watching = false;
        return;
    }
    text[size] = 0;
    if (strstr(text, "\"enable\":true")) {
        server->is_watching = true;
        say(server, watching, sizeof watching - 1);
    } else if (strstr(text, "\"enable\":false")) {
        server->is_watching = false;
    }
}

static void send_fix(load *load, int index, int number) {
    server *server = &load->servers[index];
    if (number >= server->fix_count) return;
    int64_t time = load->base + number * load->step;
    time_t seconds = time / 1000;
    struct tm date;
    gmtime_r(&seconds, &date);
    char line[1024];
    int size = snprintf(
        line, sizeof line,
        "{\"class\":\"TPV\",\"device\":\"/dev/ttyS0\",\"mode\":3,"
        "\"time\":\"%04d-%02d-%02dT%02d:%02d:%02d.%03dZ\",\"ept\":0.005,\"lat\":%.9f,\"lon\":13.377704270,"
        "\"altHAE\":81.4120,\"altMSL\":36.9120,\"alt\":36.9120,\"epx\":3.812,\"epy\":4.277,\"epv\":9.890,"
        "\"track\":87.4100,\"magtrack\":83.1000,\"magvar\":4.3,\"speed\":13.890,\"climb\":0.100,\"epd\":2.1000,"
        "\"eps\":0.42,\"epc\":19.78,\"geoidSep\":44.500,\"eph\":7.480,\"sep\":12.350}\r\n",
        date.tm_year + 1900, date.tm_mon + 1, date.tm_mday, date.tm_hour, date.tm_min, date.tm_sec,
        (int)(time % 1000), 52.516275310 + (load->crossing ? 0.1 * (number / load->crossing % 2) : 0));
    fix *fix = &server->fixes[number];
    fix->cpu = load->processes ? process_cpu_time(load->processes[index]) : 0;
    server->sent = number + 1;
    fix->sent = monotonic_now();
    if (server->is_watching) say(server, line, (size_t)size);
}

static void arm(load *load) {
    struct itimerspec at = {0};
    if (load->due >= 0) {
        at.it_value.tv_sec = load->next / 1000000000LL;
        at.it_value.tv_nsec = load->next % 1000000000LL;
    }
    timerfd_settime(load->timer, TFD_TIMER_ABSTIME, &at, NULL);
}

void gpsd_send_due(load *load) {
    uint64_t expirations;
    if (read(load->timer, &expirations, sizeof expirations) < 0 || load->due < 0) return;
    send_fix(load, load->due % load->server_count, load->due / load->server_count);
    load->due++;
    // A machine too busy to keep the pace gets them later, not in a burst: half the interval lies between two at least.
    load->next += load->interval;
    int64_t earliest = monotonic_now() + load->interval / 2;
    if (load->next < earliest) load->next = earliest;
    arm(load);
}

void gpsd_start(load *load, double interval, int fixes) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    int64_t newest = load->base + load->step * load->servers[0].fix_count;
    load->base = (int64_t)now.tv_sec * 1000;
    // A second feed goes on after the first.
    if (load->base <= newest) load->base = newest + 1000;
    load->step = (int64_t)(interval * 1000);
    load->interval = (int64_t)(interval * 1e9) / load->server_count;
    for (int index = 0; index < load->server_count; index++) {
        server *server = &load->servers[index];
        free(server->fixes);
        server->fixes = calloc((size_t)fixes, sizeof(fix));
        server->fix_count = server->fixes ? fixes : 0;
        server->sent = 0;
        server->bytes = server->messages = 0;
    }
    for (int index = 0; index < load->subscriber_count; index++) {
        load->subscribers[index].newest = -1;
        load->subscribers[index].counted = load->subscribers[index].skipped = load->subscribers[index].said = 0;
    }
    load->due = 0;
    load->next = monotonic_now() + load->interval;
    arm(load);
}

void gpsd_stop(load *load) {
    load->due = -1;
    arm(load);
}
