"""A file system in user space with one executable, `program`, that stops answering on SIGUSR1.

Arguments: where to mount it, and the file whose content the program has. Speaks FUSE's protocol itself (linux/fuse.h), so
that it can be silent. Ends, and with it whoever waits for it, on SIGTERM. Needs root.
"""
import ctypes
import os
import signal
import struct
import sys
import threading

LOOKUP, FORGET, GETATTR, OPEN, READ, FLUSH, RELEASE, INIT, OPENDIR = 1, 2, 3, 14, 15, 25, 18, 26, 27
ROOT, PROGRAM = 1, 2
ENOENT, ENOSYS = 2, 38

libc = ctypes.CDLL(None, use_errno=True)


def attributes(node, size):
    mode, size = (0o40755, 0) if node == ROOT else (0o100755, size)
    return struct.pack("<6Q10I", node, size, (size + 511) // 512, 0, 0, 0, 0, 0, 0, mode, 1, 0, 0, 0, 4096, 0)


def answer(operation, node, body, image):
    """An error number or the bytes of the answer. Nothing is valid for any time: the kernel asks each time."""
    if operation == INIT:
        return struct.pack("<IIII", 7, 31, 65536, 0) + struct.pack("<HHII", 16, 12, 65536, 1) + bytes(36)
    if operation == LOOKUP:
        if body.split(b"\0")[0] != b"program":
            return ENOENT
        return struct.pack("<QQQQII", PROGRAM, 0, 0, 0, 0, 0) + attributes(PROGRAM, len(image))
    if operation == GETATTR:
        return struct.pack("<QII", 0, 0, 0) + attributes(node, len(image))
    if operation in (OPEN, OPENDIR):
        return struct.pack("<QII", 0, 0, 0)
    if operation == READ:
        _, offset, size = struct.unpack_from("<QQI", body)
        return image[offset:offset + size]
    return b"" if operation in (FLUSH, RELEASE) else ENOSYS


def serve(device, image, is_hanging):
    while True:
        try:
            request = os.read(device, 1 << 20)
        except OSError:
            return  # unmounted
        _, operation, unique, node = struct.unpack_from("<IIQQ", request)
        # Its content is always there, so that the program itself goes on.
        if operation == FORGET or is_hanging.is_set() and operation != READ:
            continue
        result = answer(operation, node, request[40:], image)
        error, data = (-result, b"") if isinstance(result, int) else (0, result)
        os.write(device, struct.pack("<IiQ", 16 + len(data), error, unique) + data)


def main(target, source):
    with open(source, "rb") as file:
        image = file.read()
    device = os.open("/dev/fuse", os.O_RDWR)
    options = f"fd={device},rootmode=40000,user_id=0,group_id=0,allow_other".encode()
    if libc.mount(b"hanging", target.encode(), b"fuse", 0, options) != 0:
        sys.exit(os.strerror(ctypes.get_errno()))
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1, signal.SIGTERM})
    is_hanging = threading.Event()
    threading.Thread(target=serve, args=(device, image, is_hanging), daemon=True).start()
    print("ready", flush=True)
    while signal.sigwait({signal.SIGUSR1, signal.SIGTERM}) == signal.SIGUSR1:
        is_hanging.set()
        print("hanging", flush=True)
    libc.umount2(target.encode(), 2)  # MNT_DETACH
    os._exit(0)


main(*sys.argv[1:])
