// Prints where you are, with the sd-varlink of libsystemd 257 or later: cc where-sd-varlink.c $(pkg-config --cflags --libs libsystemd)
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-json.h>
#include <systemd/sd-varlink.h>

int main(void) {
    const char *socket = getenv("LOCATIOND_SOCKET"), *error = NULL;
    sd_varlink *service = NULL;
    sd_json_variant *reply = NULL;
    int result = sd_varlink_connect_address(&service, socket ? socket : "/run/locationd/org.locationd");
    if (result >= 0) result = sd_varlink_call(service, "org.locationd.Location.GetLocation", NULL, &reply, &error);
    if (result < 0) return fprintf(stderr, "locationd: %s\n", strerror(-result)), 1;
    if (error) {
        sd_json_variant *message = sd_json_variant_by_key(reply, "message");
        return fprintf(stderr, "%s\n", message ? sd_json_variant_string(message) : error), 1;
    }
    sd_json_variant *location = sd_json_variant_by_key(reply, "location");
    printf("%.5f %.5f\n", sd_json_variant_real(sd_json_variant_by_key(location, "latitude")),
           sd_json_variant_real(sd_json_variant_by_key(location, "longitude")));
    sd_varlink_unref(service);
}
