/* Debian's archive of libBigWig can read URLs, through libcurl and all that belongs to it. bigdna reads and writes files only: these take
   libcurl's place, and fail. */
#include <stddef.h>
void* curl_easy_init(void) { return NULL; }
void curl_easy_cleanup(void* handle) { (void)handle; }
int curl_easy_perform(void* handle) { return (void)handle, 2; }
int curl_easy_setopt(void* handle, int option, ...) { return (void)handle, (void)option, 2; }
int curl_easy_getinfo(void* handle, int what, ...) { return (void)handle, (void)what, 2; }
const char* curl_easy_strerror(int code) { return (void)code, "this program reads files only"; }
int curl_global_init(long flags) { return (void)flags, 2; }
void curl_global_cleanup(void) {}
