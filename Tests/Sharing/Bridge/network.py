"""A network of this process's own, with the machine and one other host in it."""
import ctypes
import os
import pathlib
import subprocess
import sys

CLONE_NEWUSER, CLONE_NEWNET = 0x1000_0000, 0x4000_0000
# The names and addresses of the machine's interface, and of that of the other host.
INTERFACE, ADDRESS, OTHER = "boat", "192.168.77.1", "192.168.77.2"


class Unavailable(Exception):
    """The reason why there can be no such network here."""


def enter():
    """Leaves the network of this machine for one of its own; needs no privileges."""
    user, group = os.geteuid(), os.getegid()
    if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNET | (CLONE_NEWUSER if user else 0)) != 0:
        raise Unavailable(f"unshare: {os.strerror(ctypes.get_errno())}")
    if user:
        for file, text in [("setgroups", "deny"), ("uid_map", f"0 {user} 1"), ("gid_map", f"0 {group} 1")]:
            pathlib.Path("/proc/self", file).write_text(text)


class Network:
    """The network, as a context manager. Call `enter` before."""

    def __enter__(self):
        # Says a word when its network is there.
        self.host = subprocess.Popen(["unshare", "--net", "sh", "-c", "ip link set lo up && echo ready && exec sleep infinity"],
                                     stdout=subprocess.PIPE, text=True)
        if self.host.stdout.readline() != "ready\n":
            raise Unavailable("unshare cannot make a network")
        self.ip("link", "set", "lo", "up")
        self.ip("link", "add", INTERFACE, "type", "veth", "peer", "name", "end", "netns", str(self.host.pid))
        self.ip("link", "set", INTERFACE, "addrgenmode", "none")
        self.ip("address", "add", f"{ADDRESS}/24", "dev", INTERFACE)
        self.ip("link", "set", INTERFACE, "up")
        self.there("ip", "address", "add", f"{OTHER}/24", "dev", "end")
        self.there("ip", "link", "set", "end", "up")
        return self

    def __exit__(self, *_):
        self.ip("link", "delete", INTERFACE)
        self.host.kill()
        self.host.communicate()

    @staticmethod
    def ip(*arguments, **options):
        subprocess.run(["ip", *arguments], check=True, **options)

    def command(self, *arguments):
        """A command on the other host."""
        return ["nsenter", f"--target={self.host.pid}", "--net", *map(str, arguments)]

    def there(self, *arguments):
        """What a command on the other host prints."""
        return subprocess.run(self.command(*arguments), check=True, capture_output=True, text=True, timeout=60).stdout

    def start(self, *arguments):
        """Starts a command on the other host."""
        return subprocess.Popen(self.command(*arguments), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def reader(self, address=ADDRESS, port=10110):
        """A program on the other host that prints what it receives, and at last why the connection has ended."""
        return self.start(sys.executable, "-c", READER, address, port)


READER = """
import socket, sys, time
for attempt in range(200):
    try:
        connection = socket.create_connection((sys.argv[1], int(sys.argv[2])), timeout=30)
        break
    except ConnectionRefusedError:
        # The port is opened a moment after the program has started.
        time.sleep(0.05)
else:
    sys.exit("refused")
try:
    while data := connection.recv(65536):
        print(data.decode(), end="", flush=True)
    print("closed", flush=True)
except ConnectionResetError:
    print("reset", flush=True)
"""
