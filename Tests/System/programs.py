"""Programs that ask GeoClue, as they are, and what each makes of an answer."""
import math
import pathlib
import re
import subprocess

from boxtest import Conversation, Terminal
from desktop import DesktopTestCase
from package import DECLARATION, declaration

CLIENTS = pathlib.Path(__file__).with_name("Clients")
# Of the receiver (nmea.py).
LATITUDE, LONGITUDE = 50.978333, 11.025
POSITION = r"^position (\S+) (\S+)$"


class Program:
    """One of them.

    `identifier` is the client that it is to the service, `position` matches what it prints of one, and `denied` what it
    prints when it is denied. `ends` says that it ends then, and when it is revoked. `is_rough` says that it wants to know
    only roughly: then there is one position in a quarter of an hour, also across a restart of the service. `returns` says
    that it finds the next service by itself when one ends. `ending` is a command that ends it, where its unit does not.
    """

    def __init__(self, name, command, identifier, denied, position=POSITION, ends=False, is_rough=False, returns=False,
                 environment=(), ending=()):
        self.name, self.command, self.identifier = name, command, identifier
        self.denied, self.position = denied, re.compile(position, re.M)
        self.ends, self.is_rough, self.returns = ends, is_rough, returns
        self.environment, self.ending = environment, ending

    def __repr__(self):
        return self.name

    def positions(self, text):
        """What it has said of where it is."""
        return [(float(latitude), float(longitude)) for latitude, longitude in self.position.findall(text)]


def script(name, *arguments, python="python3"):
    return [python, f"/opt/clients/{name}", *arguments]


def own_python(name):
    """A copy of Python for one program, since all that one executable runs is one program."""
    return f"/usr/local/bin/{name}"


class Application(Program):
    """One that the session's bus starts, and that prints nothing: what it hears is overheard."""

    def __init__(self, identifier, **options):
        super().__init__(identifier, ["gapplication", "launch", identifier], identifier, denied="^denied$",
                         ending=["pkill", "--full", f"^/usr/bin/gjs.*{identifier}"], **options)


WHERE_AM_I = Program(
    "geoclue-where-am-i", ["/usr/libexec/geoclue-2.0/demos/where-am-i", "-t", "3600"], "geoclue-where-am-i",
    denied="AccessDenied", position=r"Latitude: +(\S+)°\s+Longitude: +(\S+)°", ends=True)
GAMMASTEP = Program(
    "gammastep", ["gammastep", "-l", "geoclue2", "-m", "dummy", "-v"], "gammastep", denied="denied|allowed",
    position=r"Location: (\S+) N, (\S+) E", ends=True, is_rough=True, returns=True)
QT6 = Program("qt6", script("qt.py", "6", "qt6", python=own_python("qt6")), own_python("qt6"), denied="^error ")
SIMPLE = Program("simple", script("simple.py", "simple", python=own_python("simple")), own_python("simple"), denied="^error ")
REDSHIFT = Program(
    "redshift", ["redshift", "-l", "geoclue2", "-m", "dummy", "-v"], "redshift", denied="denied|allowed",
    position=r"Location: (\S+) N, (\S+) E", ends=True, is_rough=True, returns=True)
QT5 = Program("qt5", script("qt.py", "5", "qt5", python=own_python("qt5")), own_python("qt5"), denied="^error ")
PORTAL = Program("portal", script("portal.py"), "xdg-desktop-portal", denied="^response 2")

# Those that need no desktop.
SMALL_PROGRAMS = [WHERE_AM_I, GAMMASTEP, QT6, SIMPLE, PORTAL]


def page(name, port, identifier, *browser):
    """A page in a browser; 2 is “position unavailable”."""
    return Program(name, script("page.py", str(port), *browser), identifier, denied="^error 2$")


FIREFOX = page("firefox", 8123, "org.mozilla.firefox-esr",
               "firefox-esr", "--headless", "--no-remote", "--profile", "/home/alice/firefox", "URL")
WEBKIT = page("webkit", 8124, own_python("webkit"), *script("webkit.py", "URL", python=own_python("webkit")))
EPIPHANY = page("epiphany", 8125, "org.gnome.Epiphany", "epiphany", "--new-window", "URL")
MAPS = Application("org.gnome.Maps")
WEATHER = Application("org.gnome.Weather", is_rough=True)
FLATPAK = Program(
    "flatpak", ["flatpak", "run", "org.example.Located"], "flatpak:org.example.Located", GAMMASTEP.denied,
    position=GAMMASTEP.position.pattern, ends=True, is_rough=True, returns=True,
    ending=["flatpak", "kill", "org.example.Located"])


class ProgramTestCase(DesktopTestCase):
    """Tests with programs that ask, and that the service knows nothing of but what it ships with."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for file in CLIENTS.glob("*.*"):
            cls.box.copy(file, f"/opt/clients/{file.name}")
        for name in ("qt6", "simple", "qt5", "webkit"):
            cls.box.enter("install", "/usr/bin/python3", own_python(name))
        cls.write("/etc/locationd/clients.d/org.locationd.locationctl.plist", DECLARATION)
        cls.box.enter("locationctl", "config", "reload", stdout=subprocess.DEVNULL)
        cls.as_alice("gsettings", "set", "org.gnome.system.location", "enabled", "true")

    def setUp(self):
        # Root's, so that it goes on while alice's services are off.
        self.clock = self.elsewhere("root", "sh", "-c", "exec locationctl watch --format json 2>&1")
        self.wait_for(self.clock, '"latitude"')

    # What the tests do

    def begin(self, program):
        """Starts a program about which nothing is decided."""
        self.addCleanup(self.forget, program.identifier)
        if not isinstance(program, Application):
            screen = self.screen(*program.command, name=program.name, environment=program.environment)
        else:
            screen = self.overhear(program.identifier)
            self.as_alice(*program.command)
        screen.ending = program.ending
        return screen

    def elsewhere(self, user, *command):
        """A program of another user's, outside any session."""
        unit = f"elsewhere-{next(self.numbers)}.service"
        program = Conversation(self.box.spawn(*command, options=[f"--uid={user}", f"--unit={unit}"]))
        program.unit = unit
        self.addCleanup(program.end)
        self.addCleanup(self.box.enter, "systemctl", "stop", unit, check=False, stderr=subprocess.DEVNULL)
        return program

    def overhear(self, identifier):
        screen = Terminal(subprocess.Popen(
            self.box._nsenter(script("overheard.py", identifier)), stdin=subprocess.PIPE, stdout=subprocess.PIPE))
        self.addCleanup(screen.end)
        self.addCleanup(self.end, screen)
        screen.expect("^listening$")
        return screen

    def end(self, screen):
        """Ends a program at once."""
        if getattr(screen, "ending", None):
            self.as_alice(*screen.ending, check=False, stderr=subprocess.DEVNULL)
        if getattr(screen, "unit", None):
            super().end(screen)

    def connected(self, programs):
        """Those of the programs that are using the service."""
        clients = {client["client"] for client in self.json("clients") if client["isConnected"]}
        return [program for program in programs if program.identifier in clients]

    def answer(self, program, word):
        """Answers the question about a program, as soon as there is one."""
        found = self.eventually(
            lambda: [prompt for prompt in self.prompts() if prompt["client"] == program.identifier],
            what=lambda: f"a question about {program.identifier}: {self.prompts()}")
        self.ask("locationctl", "agent", "answer", str(found[0]["id"]), word)
        return found[0]

    def fixes(self, count):
        """Lets so many fixes come that everybody who may know hears of."""
        while not self.clock.lines.empty():
            self.clock.lines.get()
        for _ in range(count):
            self.wait_for(self.clock, '"latitude"')

    def begin_service(self):
        """Starts a small program as a system service of alice's, which is declared by its unit and may know without asking."""
        self.write("/etc/locationd/clients.d/org.example.Service.plist",
                   declaration("org.example.Service", SystemdUnit="located.service"))
        self.addCleanup(self.box.enter, "locationctl", "config", "reload", stdout=subprocess.DEVNULL)
        self.addCleanup(self.box.enter, "rm", "/etc/locationd/clients.d/org.example.Service.plist")
        self.box.enter("locationctl", "config", "reload", stdout=subprocess.DEVNULL)
        service = Conversation(self.box.spawn(*SIMPLE.command, options=["--uid=alice", "--unit=located.service"]))
        self.addCleanup(service.end)
        # First, since its end is waited for.
        self.addCleanup(self.box.enter, "systemctl", "stop", "located.service", check=False, stderr=subprocess.DEVNULL)
        return service

    # What they look at

    def is_located(self, program, screen, more_than=0):
        """Waits until it has said where it is."""
        self.eventually(
            lambda: len(program.positions(screen.seen)) > more_than, timeout=60,
            what=lambda: f"a position of {program.name}; it said: {screen.seen[-2000:]}")
        self.never_elsewhere(program, screen)

    def never_elsewhere(self, program, screen):
        """All that it ever said is where the receiver is, or that it is not known."""
        for latitude, longitude in program.positions(screen.seen):
            if not (math.isnan(latitude) and math.isnan(longitude)):
                delta = 0.1 if program.is_rough else 1e-4
                self.assertAlmostEqual(latitude, LATITUDE, delta=delta, msg=program.name)
                self.assertAlmostEqual(longitude, LONGITUDE, delta=delta, msg=program.name)

    def says_no_more(self, screens):
        """No program says anything of where it is, while others hear of it."""
        def counts():
            return {program: len(program.positions(screen.seen)) for program, screen in screens.items()}

        # A program may take its time to print what it read before.
        for _ in range(6):
            before = counts()
            self.fixes(5)
            if counts() == before:
                break
        else:
            self.fail(f"{before}, then {counts()}")
        for program, screen in screens.items():
            self.never_elsewhere(program, screen)

    # The stories

    def asked_allowed_revoked(self, programs):
        screens = {program: self.begin(program) for program in programs}
        for program in programs:
            self.answer(program, "allow")
        for program, screen in screens.items():
            self.is_located(program, screen)
        # Taken back while they run.
        for program in programs:
            self.ask("locationctl", "deny", program.identifier)
        self.says_no_more(screens)
        return screens

    def services_off_and_on(self, programs):
        screens = {program: self.begin(program) for program in programs}
        for program in programs:
            self.answer(program, "allow")
        for program, screen in screens.items():
            self.is_located(program, screen)
        self.addCleanup(self.ask, "locationctl", "on")
        self.ask("locationctl", "off")
        self.says_no_more(screens)
        before = {program: len(program.positions(screen.seen)) for program, screen in screens.items()}
        self.ask("locationctl", "on")
        for program, screen in screens.items():
            if not program.is_rough and not program.ends:
                self.is_located(program, screen, more_than=before[program])
            self.never_elsewhere(program, screen)
        # Another service: some find it by themselves, the others are silent; those that begin now are served.
        self.box.enter("systemctl", "restart", "locationd.service")
        self.setUp()
        returning = [program for program in programs if program.returns]
        self.eventually(lambda: self.connected(returning) == returning, what=lambda: f"the return of {returning}")
        self.fixes(2)
        self.assertEqual(self.connected(programs), returning)
        for program, screen in screens.items():
            self.never_elsewhere(program, screen)
            self.end(screen)
        again = {program: self.begin(program) for program in programs}
        # Those that want to know roughly are told again a quarter of an hour after the last time.
        self.eventually(lambda: self.connected(programs) == programs, what=lambda: f"{programs}: {self.connected(programs)}")
        for program, screen in again.items():
            if not program.is_rough:
                self.is_located(program, screen)

    def asked_denied(self, programs):
        screens = {program: self.begin(program) for program in programs}
        for program in programs:
            self.answer(program, "deny")
        for program, screen in screens.items():
            screen.expect(program.denied)
            self.assertEqual(program.positions(screen.seen), [], program.name)
            if program.ends:
                self.eventually(lambda: screen.process.poll() is not None, what=lambda: f"the end of {program.name}")

    def asked_answered_late(self, programs):
        """After half a minute, longer than anybody waits for an answer on the bus."""
        screens = {program: self.begin(program) for program in programs}
        for program in programs:
            self.eventually(lambda: program.identifier in [prompt["client"] for prompt in self.prompts()])
        self.fixes(120)
        for program, screen in screens.items():
            self.assertEqual(program.positions(screen.seen), [], program.name)
            self.answer(program, "allow")
        for program, screen in screens.items():
            self.is_located(program, screen)
