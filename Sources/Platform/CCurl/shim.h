#include <curl/curl.h>

// curl_easy_setopt and curl_easy_getinfo are variadic, which Swift cannot call.

typedef size_t (*locationd_curl_write)(char *bytes, size_t size, size_t count, void *context);
typedef int (*locationd_curl_progress)(
    void *context, curl_off_t download_total, curl_off_t downloaded, curl_off_t upload_total, curl_off_t uploaded);

static inline CURLcode locationd_curl_set_text(CURL *curl, CURLoption option, const char *value) {
    return curl_easy_setopt(curl, option, value);
}

static inline CURLcode locationd_curl_set_number(CURL *curl, CURLoption option, long value) {
    return curl_easy_setopt(curl, option, value);
}

static inline CURLcode locationd_curl_set_headers(CURL *curl, struct curl_slist *headers) {
    return curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
}

static inline CURLcode locationd_curl_set_write(CURL *curl, locationd_curl_write write, void *context) {
    CURLcode code = curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, write);
    return code != CURLE_OK ? code : curl_easy_setopt(curl, CURLOPT_WRITEDATA, context);
}

static inline CURLcode locationd_curl_set_progress(CURL *curl, locationd_curl_progress progress, void *context) {
    CURLcode code = curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, progress);
    return code != CURLE_OK ? code : curl_easy_setopt(curl, CURLOPT_XFERINFODATA, context);
}

static inline long locationd_curl_status(CURL *curl) {
    long status = 0;
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    return status;
}

typedef curl_socket_t (*locationd_curl_open_socket)(
    void *context, curlsocktype purpose, struct curl_sockaddr *address);

static inline CURLcode locationd_curl_set_open_socket(CURL *curl, locationd_curl_open_socket open, void *context) {
    CURLcode code = curl_easy_setopt(curl, CURLOPT_OPENSOCKETFUNCTION, open);
    return code != CURLE_OK ? code : curl_easy_setopt(curl, CURLOPT_OPENSOCKETDATA, context);
}

// Where a redirection leads; NULL without one. Valid until the next request.
static inline const char *locationd_curl_redirect(CURL *curl) {
    char *url = NULL;
    curl_easy_getinfo(curl, CURLINFO_REDIRECT_URL, &url);
    return url;
}

// 0 without the header.
static inline curl_off_t locationd_curl_retry_after(CURL *curl) {
    curl_off_t seconds = 0;
    curl_easy_getinfo(curl, CURLINFO_RETRY_AFTER, &seconds);
    return seconds;
}
