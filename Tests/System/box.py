#!/usr/bin/env python3
"""A disposable, really booted Debian for the system tests.

    box.py build [SUITE...] make the root file systems, unless they are there already
    box.py run COMMAND...   boot, run one command as root, power off

Each box is systemd-nspawn over a root file system that is made once, kept in .build/box and never written to: what a
test changes is gone at power-off. It has its own processes, network (lo only) and control groups, and the users alice
and bob. Needs root, systemd-nspawn (package systemd-container), mmdebstrap and nsenter.
"""
import atexit
import ctypes
import hashlib
import os
import pathlib
import select
import shutil
import signal
import socket
import subprocess
import sys
import time

CACHE = pathlib.Path(__file__).resolve().parents[2] / ".build" / "box"
# Debian 12, or 13 on request; after the plus sign, an additional set of packages.
SUITES = ["bookworm", "trixie", "bookworm+clients", "trixie+clients", "bookworm+desktop", "bookworm+sources",
          "trixie+sources",
          "bookworm+wifi", "bookworm+gpsd", "trixie+gpsd", "bookworm+maps", "trixie+maps",
          "bookworm+sharing", "bookworm+broker", "trixie+broker", "bookworm+panels", "trixie+compositors"]
PACKAGES = [
    "systemd", "systemd-sysv", "dbus", "dbus-user-session", "libpam-systemd", "udev", "polkitd", "procps",
    "gpsd", "libsystemd0", "libexpat1", "libsqlite3-0",
]
# Programs that use GeoClue, small enough for every run of the tests.
CLIENTS = [
    "geoclue-2-demo", "gammastep", "gir1.2-geoclue-2.0", "python3-gi", "python3-pyqt6.qtpositioning",
    "libqt6positioning6-plugins", "xdg-desktop-portal", "xdg-desktop-portal-gtk", "xvfb", "xauth", "dunst",
    "libglib2.0-bin",
]
# Programs that depend on a desktop.
DESKTOP = [
    "firefox-esr", "epiphany-browser", "gir1.2-webkit2-4.1", "gir1.2-gtk-3.0", "redshift", "python3-pyqt5.qtpositioning",
    "libqt5positioning5-plugins", "gnome-maps", "gnome-weather", "gnome-shell", "gnome-session-bin",
    "gnome-settings-daemon", "adwaita-icon-theme", "at-spi2-core", "flatpak", "xdg-dbus-proxy", "bubblewrap", "busybox",
    "xfce4-notifyd", "imagemagick", "fonts-cantarell",
]
# ModemManager, and what a modem and a compass are made of.
SOURCES = [
    "modemmanager", "umockdev", "gir1.2-umockdev-1.0", "python3-gi", "libglib2.0-bin", "iio-sensor-proxy",
    "python3-dbusmock",
]
# NetworkManager, without hardware, and what stands in for it and for a network.
WIFI = ["network-manager", "python3-dbusmock", "python3-gi", "ca-certificates", "libcurl4", "nftables"]
# What the sharer needs, what plays the services, and a desktop that shows notifications.
SHARING = ["ca-certificates", "libcurl4", "libmosquitto1", "python3", "xvfb", "xauth", "dunst"]
# A broker, what uses it, what the sharer needs, and the database of a recorder.
BROKER = ["mosquitto", "mosquitto-clients", "openssl", "ca-certificates", "libcurl4", "libmosquitto1", "postgresql", "postgresql-postgis"]
# Panels of two desktops, and what takes pictures of them.
PANELS = ["xvfb", "xauth", "xfce4-panel", "xfce4-notifyd", "lxqt-panel", "lxqt-qtplugin", "openbox", "imagemagick", "adwaita-icon-theme", "fonts-cantarell"]
# Compositors of Wayland with a bar, notifications and what takes pictures.
COMPOSITORS = ["labwc", "sway", "mako-notifier", "waybar", "grim", "fonts-dejavu-core", "adwaita-icon-theme"]
# gpsd's own programs, and what shows the signals of the bus.
GPSD = ["gpsd-clients", "dbus-bin"]
# Programs of others that ask gpsd, with a screen for those that have a window.
MAPS = GPSD + [
    "navit", "navit-graphics-gtk-drawing-area", "viking", "direwolf", "collectd-core", "xvfb", "xauth", "xdotool",
    "imagemagick",
    "x11-utils", "python3-gi", "python3-gi-cairo", "gir1.2-gtk-3.0", "fonts-dejavu-core", "adwaita-icon-theme",
]
EXTRA = {"": [], "sharing": SHARING, "broker": BROKER, "panels": PANELS, "compositors": COMPOSITORS, "gpsd": GPSD, "maps": MAPS, "sources": SOURCES, "wifi": WIFI, "clients": CLIENTS, "desktop": CLIENTS + DESKTOP}
# What one release has and the other has not.
ONLY = {"bookworm+maps": ["foxtrotgps"], "trixie+maps": ["opencpn"]}
CUSTOMISE = """set -e
for user in alice bob; do useradd --create-home --shell /bin/bash $user; done
: > /etc/machine-id
echo box > /etc/hostname
printf '127.0.0.1 localhost box\\n::1 localhost\\n' > /etc/hosts
"""
ENVIRONMENT = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8"}


class BoxError(Exception):
    """An error that prevents a box, as a sentence."""


def missing():
    """The missing requirements of a box, as a list of sentences."""
    found = []
    if os.geteuid() != 0:
        found.append("only root can boot a box")
    for program, package in [
        ("systemd-nspawn", "systemd-container"), ("mmdebstrap", "mmdebstrap"), ("nsenter", "util-linux"),
    ]:
        if not shutil.which(program, path=ENVIRONMENT["PATH"]):
            found.append(f"{program} is not installed (Debian: apt-get install {package})")
    if not control_groups():
        found.append("control groups are not mounted at /sys/fs/cgroup")
    return found


def control_groups():
    """The control group hierarchies for nspawn's processes: one, or two on a hybrid host."""
    root = pathlib.Path("/sys/fs/cgroup")
    hybrid = [root / name for name in ("systemd", "unified") if (root / name).is_dir()]
    return hybrid or [root] if (root / "cgroup.procs").exists() or hybrid else []


def build(suite=SUITES[0]):
    """The root file system, created on first use, which takes half a minute."""
    release, _, extra = suite.partition("+")
    packages = PACKAGES + EXTRA[extra] + ONLY.get(suite, [])
    recipe = "\0".join([release, *packages, CUSTOMISE])
    root = CACHE / f"{suite}-{hashlib.sha256(recipe.encode()).hexdigest()[:12]}"
    if root.is_dir():
        return root
    CACHE.mkdir(parents=True, exist_ok=True)
    print(f"Making {root}, which takes a minute or two.", file=sys.stderr)
    new = root.with_suffix(".new")
    shutil.rmtree(new, ignore_errors=True)
    log = root.with_suffix(".log")
    with open(log, "wb") as output:
        result = subprocess.run(
            ["mmdebstrap", "--variant=minbase", "--include=" + ",".join(packages),
             "--customize-hook=chroot \"$1\" sh -c \"$BOX_CUSTOMISE\"", release, str(new)],
            env=os.environ | {"BOX_CUSTOMISE": CUSTOMISE}, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
    if result.returncode:
        shutil.rmtree(new, ignore_errors=True)
        raise BoxError(f"mmdebstrap failed: see {log}")
    for old in CACHE.glob(f"{suite}-*"):
        if old.is_dir() and old != new:
            shutil.rmtree(old)
    new.rename(root)
    return root


class Layer:
    """A writable layer in memory over a root file system."""

    def __init__(self, directory, lower):
        self.directory, self.root = directory, directory / "root"
        self.directory.mkdir()
        self._mount("-t", "tmpfs", "tmpfs", self.directory)
        for name in ["upper", "work", "root"]:
            (self.directory / name).mkdir()
        self._mount("-t", "overlay", "overlay", self.root, "-o",
                    f"lowerdir={lower},upperdir={self.directory}/upper,workdir={self.directory}/work")

    @staticmethod
    def _mount(*arguments):
        subprocess.run(["mount", *arguments], check=True)

    def remove(self):
        subprocess.run(["umount", "--recursive", self.directory], check=True)
        self.directory.rmdir()


class Box:
    """A booted system; a context manager that powers it off."""

    def __init__(self, suite=SUITES[0], lasting=False):
        """A box whose files outlast `reboot`, if `lasting`."""
        self.suite = suite
        self.name = f"locationd-{suite.replace('+', '-')}-{os.getpid()}"
        self.files = Layer(CACHE / f"{self.name}.files", build(suite)) if lasting else None
        self.groups = [group / self.name for group in control_groups()]
        self.log = CACHE / f"{self.name}.log"
        self.nspawn = None
        self.leader = None
        self.units = []

    def __enter__(self):
        try:
            self.boot()
        except BaseException:
            self.power_off()
            raise
        # Where the tests are interrupted, unittest leaves no context.
        atexit.register(self.__exit__)
        return self

    def __exit__(self, *_):
        atexit.unregister(self.__exit__)
        self.power_off()
        self.log.unlink()
        if self.files:
            self.files.remove()

    def reboot(self):
        """Powers off in an orderly way, and boots again with the same files. Only for a lasting box."""
        self.power_off()
        self.units, self.leader, self.nspawn = [], None, None
        self.boot()

    def boot(self, timeout=60):
        """Boots and waits until the start-up has finished."""
        if missing():
            raise BoxError("; ".join(missing()))
        root = self.files.root if self.files else build(self.suite)
        for group in self.groups:
            group.mkdir()
        address = CACHE / f"{self.name}.notify"
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notifications, open(self.log, "wb") as log:
            notifications.bind(str(address))
            self.nspawn = subprocess.Popen(
                ["systemd-nspawn", "--quiet", "--boot", f"--directory={root}", f"--machine={self.name}",
                 "--hostname=box", "--register=no", "--keep-unit", "--private-network",
                 f"--volatile={'no' if self.files else 'overlay'}",
                 "--notify-ready=yes", "--console=passive", "--link-journal=no", "--resolv-conf=off",
                 "--timezone=off",
                 # Without these, IPAddressDeny= and DeviceAllow= are silently not enforced inside.
                 "--system-call-filter=bpf", "--capability=CAP_BPF,CAP_PERFMON"],
                env=ENVIRONMENT | {"NOTIFY_SOCKET": str(address), "SYSTEMD_NSPAWN_UNIFIED_HIERARCHY": "1"},
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, preexec_fn=self._enter_box)
            try:
                self._await_ready(notifications, time.monotonic() + timeout)
            finally:
                address.unlink()
        state = self.enter("timeout", str(timeout), "systemctl", "is-system-running", "--wait",
                           check=False, stdout=subprocess.PIPE, text=True).stdout.strip()
        if state not in ("running", "degraded"):
            raise BoxError(f"the box does not settle ({state or 'no answer'}): see {self.log}")

    def _enter_box(self):
        # Own control groups, because with --keep-unit two boxes would share the caller's.
        for group in self.groups:
            (group / "cgroup.procs").write_text("0")
        # End the box if the tests are killed. 1 is PR_SET_PDEATHSIG.
        ctypes.CDLL(None).prctl(1, signal.SIGTERM, 0, 0, 0)

    def _await_ready(self, notifications, deadline):
        while True:
            left = deadline - time.monotonic()
            if left <= 0 or self.nspawn.poll() is not None:
                raise BoxError(f"systemd-nspawn does not boot here: see {self.log}")
            if not select.select([notifications], [], [], min(left, 0.2))[0]:
                continue
            for line in notifications.recv(8192).decode(errors="replace").splitlines():
                if line.startswith("X_NSPAWN_LEADER_PID="):
                    self.leader = int(line.partition("=")[2])
                if line == "READY=1":
                    return

    def power_off(self):
        """Shuts down in an orderly way, or else by force."""
        if self.nspawn and self.nspawn.poll() is None:
            if self.leader:
                os.kill(self.leader, signal.SIGRTMIN + 4)  # systemd(1): poweroff.target
            else:
                self.nspawn.terminate()
            try:
                self.nspawn.wait(20)
            except subprocess.TimeoutExpired:
                os.kill(self.leader or self.nspawn.pid, signal.SIGKILL)
                self.nspawn.wait(5)
        for unit in self.units:
            unit.communicate()
        for group in self.groups:
            for directory, _, _ in os.walk(group, topdown=False):
                os.rmdir(directory)

    # Files

    def path(self, inside):
        """The path of a file of the box from outside."""
        return pathlib.Path(f"/proc/{self.leader}/root") / inside.lstrip("/")

    def copy(self, source, inside, mode=0o755):
        """Copies a file into the box."""
        target = self.path(inside)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
        target.chmod(mode)

    # Commands

    def enter(self, *command, **options):
        """Runs a command as root in the box's namespaces, but in none of its units."""
        options.setdefault("check", True)
        options.setdefault("stdin", subprocess.DEVNULL)
        return subprocess.run(self._nsenter(command), **options)

    def _nsenter(self, command):
        return ["nsenter", f"--target={self.leader}", "--mount", "--uts", "--ipc", "--net", "--pid", "--cgroup",
                "--root", "--wd", "--", "env", "-i", *(f"{k}={v}" for k, v in ENVIRONMENT.items()), *command]

    def output(self, *command):
        """The output of root's command."""
        return self.enter(*command, stdout=subprocess.PIPE, text=True, timeout=30).stdout.strip()

    def start(self, unit, *command, user="root", seat=None, session=None, session_class="user"):
        """Starts a command, whose output nobody sees, as a unit of the box and returns its process id there.

        With `seat` it leads a graphical session on that seat; with `session`, a session of that type (`tty`) on none.
        """
        options = [f"--unit={unit}", f"--uid={user}", *self._session(seat, session, session_class)]
        # It says itself when it runs, and who it is: a unit of Type=exec with a session never counts as started. systemd
        # makes one $ of two.
        wrapper = ["sh", "-c", 'echo $$$$; exec "$@" > /dev/null 2>&1', "sh"]
        process = self.spawn(*wrapper, *command, options=options)
        self.units.append(process)
        readable = select.select([process.stdout], [], [], 30)[0]
        line = process.stdout.readline() if readable else ""
        if not line:
            raise BoxError(f"{unit} did not start")
        return int(line)

    @staticmethod
    def _session(seat, session, session_class="user"):
        """The settings that make a unit a session of its own, if requested."""
        options = []
        if seat or session:
            kind = "wayland" if seat else session
            options += ["--property=PAMName=login", f"--setenv=XDG_SESSION_TYPE={kind}",
                        f"--setenv=XDG_SESSION_CLASS={session_class}"]
        if seat:
            options.append(f"--setenv=XDG_SEAT={seat}")
        return options

    def terminal(self, unit, *command, user, seat=None, session=None):
        """Starts a command as a unit of the box with a terminal of its own, in a session as `start` says: a Popen whose
        pipes are that terminal's keyboard and screen."""
        return subprocess.Popen(
            self._nsenter(["systemd-run", "--quiet", "--collect", "--pty", f"--unit={unit}", f"--uid={user}",
                           "--setenv=TERM=dumb", *self._session(seat, session), "--", *command]),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def spawn(self, *command, options=()):
        """Starts root's command in a unit of its own: a Popen with pipes, which ends with the unit."""
        return subprocess.Popen(
            self._nsenter(["systemd-run", "--quiet", "--collect", "--wait", "--pipe", *options, "--", *command]),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)


def main(arguments):
    if arguments[:1] == ["build"] and set(arguments[1:]) <= set(SUITES):
        if missing():
            raise BoxError("; ".join(missing()))
        for suite in arguments[1:] or SUITES[:1]:
            print(build(suite))
        return 0
    if arguments[:1] == ["run"] and len(arguments) > 1:
        with Box() as box:
            return box.enter(*arguments[1:], check=False, stdin=None).returncode
    print(__doc__.strip(), file=sys.stderr)
    return 2


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except BoxError as error:
        sys.exit(f"box: {error}.")
