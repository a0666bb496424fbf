// Prints your locations as they come, one JSON object each, without any library.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int main(void) {
    struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = "/run/locationd/org.locationd" };
    const char *other = getenv("LOCATIOND_SOCKET");
    if (other) snprintf(address.sun_path, sizeof address.sun_path, "%s", other);
    int service = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (service < 0 || connect(service, (struct sockaddr *)&address, sizeof address) < 0) return perror("locationd"), 1;
    // Each message is a JSON object with a zero byte at its end, which a string of C has.
    const char call[] = "{\"method\": \"org.locationd.Location.Subscribe\", \"more\": true}";
    if (write(service, call, sizeof call) != sizeof call) return perror("locationd"), 1;
    FILE *replies = fdopen(service, "r");
    char *reply = NULL;
    size_t room = 0;
    while (getdelim(&reply, &room, '\0', replies) > 0) {
        puts(reply);
        fflush(stdout);
        if (strstr(reply, "\"error\"")) return 1;  // The error's member "message" has the remedy.
    }
    return 0;  // The service has stopped. Connect again.
}
