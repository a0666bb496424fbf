import FoundationEssentials
import GPSDProtocol
import Glibc
import LocationConfiguration
import POSIXSupport
import TestSupport
import Testing

@testable import LocationDiagnosis

@Suite("Closing gpsd's port", .timeLimit(.minutes(10)))
struct PortFixTests {
    private static let open = PortCheck(listeners: .seen([TCPListener(address: "::1", port: 2947)]))
    private static let closed = PortCheck(listeners: .seen([]))
    /// The exports of a gpsd in this state: as Debian installs it, or without any.
    private static func exports(isOpen: Bool, isActive: Bool = true) -> ExportsCheck {
        let unit = with(UnitState("gpsd.service")) { $0.activeState = isActive ? "active" : "inactive" }
        return ExportsCheck(segmentMode: .seen(isOpen ? 0o666 : 0), isOnBus: .seen(isOpen), unit: .seen(unit))
    }

    private static let settingsFile = "/etc/l.plist.d/gpsd-socket.plist"
    private static let settings = PortFix.settings(socket: PortFix.standardSocket, device: nil)

    private static let situation: PortFix.Situation = {
        var situation = PortFix.Situation(
            port: open, exports: exports(isOpen: true), socketUnit: .seen(UnitState("gpsd.socket")),
            configurationFile: "/etc/l.plist", settingsFile: settingsFile)
        situation.address = .tcp(host: "127.0.0.1", port: 2947)
        return situation
    }()

    @Test("an open port gets a drop-in of each side, and the commands that apply and undo them")
    func fromTheBeginning() throws {
        let fix = try #require(try PortFix(Self.situation))
        #expect(fix.socket == "/run/gpsd-client.sock")
        #expect(fix.writings.map(\.file) == [Self.settingsFile, PortFix.dropInFile, PortFix.serviceDropInFile])
        #expect(fix.writings[0].new == Self.settings)
        #expect(
            fix.writings[1].new.contains(
                "ListenStream=\nListenStream=/run/gpsd.sock\nListenStream=/run/gpsd-client.sock\n"))
        #expect(fix.writings[1].new.contains("SocketUser=locationd\nSocketMode=0600\n"))
        #expect(
            fix.commands == [
                ["daemon-reload"], ["stop", "gpsd.socket", "gpsd.service"], ["start", "gpsd.socket"],
                ["start", "gpsd.service"], ["try-restart", "locationd.service"],
            ])
        let text = fix.description.joined(separator: "\n")
        for words in [
            "write \(Self.settingsFile):", "neither in shared memory nor on the system bus", "<key>Socket</key>",
            "run systemctl daemon-reload",
        ] {
            #expect(text.contains(words))
        }
    }

    /// The port in the hands of the service, or not.
    private static func port(isOn: Bool, isServiceActive: Bool = true) -> GPSDPort {
        var unit = UnitState(GPSDPort.unitName)
        unit.activeState = isOn ? "active" : "inactive"
        unit.listens = ["127.0.0.1:2947", "[::1]:2947"]
        var port = GPSDPort(unit: .seen(unit))
        port.isServiceActive = isServiceActive
        return port
    }

    @Test("the service gets gpsd's port where its unit is installed, and starts again to be passed it")
    func port() throws {
        let fix = try #require(try PortFix(with(Self.situation) { $0.servicePort = Self.port(isOn: false) }))
        #expect(fix.givesPort)
        #expect(
            fix.commands == [
                ["daemon-reload"], ["stop", "gpsd.socket", "gpsd.service"], ["start", "gpsd.socket"],
                ["start", "gpsd.service"], ["reset-failed", "locationd.service"], ["enable", "locationd-gpsd.socket"],
                ["stop", "locationd.socket", "locationd.service"],
                ["start", "locationd-gpsd.socket", "locationd.socket"], ["start", "locationd.service"],
            ])
        #expect(fix.description.contains { $0.hasPrefix("locationd will answer at gpsd's port") })
        let idle = try PortFix(
            with(Self.situation) { $0.servicePort = Self.port(isOn: false, isServiceActive: false) })
        #expect(idle?.commands.contains(["start", "locationd.service"]) == false)
        #expect(idle?.commands.contains { $0[0] == "reset-failed" } == false, "it may not be loaded")
        // It has the port already.
        let again = try PortFix(with(Self.situation) { $0.servicePort = Self.port(isOn: true) })
        #expect(again?.givesPort == false && again?.commands.last == ["try-restart", "locationd.service"])
    }

    @Test("a port that the service should have and does not is assigned to it, and nothing else is changed")
    func missingPort() throws {
        for (state, isEnabled, isMissing) in [
            ("failed", false, true), ("failed", true, true), ("inactive", true, true),
            // The administrator has switched it off.
            ("inactive", false, false), ("active", true, false),
        ] {
            let situation = with(Self.fixed) {
                var unit = UnitState(GPSDPort.unitName)
                (unit.activeState, unit.unitFileState) = (state, isEnabled ? "enabled" : "disabled")
                $0.servicePort = GPSDPort(unit: .seen(unit))
            }
            let fix = try PortFix(situation)
            #expect((fix != nil) == isMissing, "\(state), \(isEnabled)")
            guard let fix else { continue }
            #expect(fix.writings == [] && fix.givesPort)
            #expect(fix.commands == situation.servicePort.turnOn)
            #expect(fix.description.first?.hasPrefix("locationd will answer at gpsd's port") == true)
            #expect(!fix.description.contains { $0.contains("shared memory") })
            // gpsd's own units are not touched: it has its receivers.
            #expect(!fix.commands.joined().contains { $0.hasPrefix("gpsd.") })
        }
    }

    @Test("a port that another program holds is refused before anything is changed, with the program and the command")
    func heldPort() throws {
        let listener = TCPListener(address: "127.0.0.1", port: 2947)
        let situation = with(Self.situation) {
            $0.port = PortCheck(listeners: .seen([listener]))
            $0.port.holders = [listener: PortHolder(("python3", 4711), userID: 0)]
            $0.servicePort = Self.port(isOn: false)
        }
        for situation in [
            situation, with(Self.fixed) { ($0.port, $0.servicePort) = (situation.port, situation.servicePort) },
        ] {
            do throws(PortFix.Refusal) {
                let fix = try PortFix(situation)
                Issue.record("not refused: \(String(describing: fix))")
            } catch {
                #expect(error.description.contains("python3 (process 4711 of user root) listens at gpsd's port"))
                #expect(error.description.contains("sudo kill 4711"))
            }
        }
        for name in ["gpsd", "systemd"] {
            let own = with(situation) { $0.port.holders[listener] = PortHolder((name, 1), userID: 0) }
            #expect(try PortFix(own)?.givesPort == true)
        }
    }

    @Test("while the port changes hands, only root may listen there, and the setting is as before afterwards")
    func reservation() throws {
        let directory = try TemporaryDirectory()
        let file = directory.path + "/start"
        for (before, during) in [
            ("1024\n", "2948\n"), ("0\n", "2948\n"), ("2947\n", "2948\n"), ("2948\n", "2948\n"), ("3000\n", "3000\n"),
            ("?\n", "?\n"),
        ] {
            try Data(before.utf8).write(to: URL(filePath: file))
            let reservation = PortReservation(file: file)
            #expect(SmallFile.text(file) == during)
            var action = sigaction()
            sigaction(SIGTERM, nil, &action)
            reservation.end()
            #expect(SmallFile.text(file) == before)
        }
        // Where there is no such setting, it does nothing.
        PortReservation(file: directory.path + "/none").end()
        #expect(SmallFile.text(directory.path + "/none") == nil)
    }

    /// Fills the segments of an IPC namespace of its own up to its limit, and then does what the drop-in does before gpsd starts.
    /// Prints the mode of the segment with gpsd's key.
    private static let fullMemory = #"""
        echo 3 > /proc/sys/kernel/shmmni
        for number in 1 2 3; do ipcmk --shmem 1 > /dev/null; done
        ipcmk --shmem 1 2> /dev/null && exit 3
        eval "$1" || exit 4
        awk '$1 == 1196446532 { print $3 }' /proc/sysvipc/shm
        """#

    @Test(
        "gpsd starts without its shared memory where other users have taken all segments",
        .enabled(if: getuid() == 0 && access("/usr/bin/perl", X_OK) == 0))
    func fullSharedMemory() async throws {
        let line = try #require(PortFix.serviceDropIn.split(separator: "\n").first { $0.hasPrefix("ExecStartPre=") })
        let command = line.dropFirst("ExecStartPre=".count).replacing("$$", with: "$")
        let result = try await ChildProcess.run(
            ["/usr/bin/unshare", "--ipc", "--", "/bin/sh", "-c", Self.fullMemory, "sh", String(command)])
        // A container may not permit a namespace.
        guard !result.errors.contains("unshare") else { return }
        #expect(result.code == 0, "\(result.errors)")
        #expect(result.output.trimmingPrefix { $0.isWhitespace }.hasPrefix("0"), "\(result.output) \(result.errors)")
    }

    @Test("the service releases gpsd's port before gpsd opens it again")
    func portBack() throws {
        let undo = try #require(PortUndo(with(Self.fixed) { $0.servicePort = Self.port(isOn: true) }))
        #expect(
            undo.stop == [
                ["disable", "--now", "locationd-gpsd.socket"], ["reset-failed", "locationd.service"],
                ["try-restart", "locationd.service"],
                ["stop", "gpsd.socket", "gpsd.service"],
            ])
        #expect(PortUndo(with(Self.fixed) { $0.servicePort = Self.port(isOn: false) })?.stop.count == 1)
    }

    @Test("the service itself at gpsd's port is not a problem, and gpsd beside it is")
    func served() {
        var check = PortCheck(
            listeners: .seen([
                TCPListener(address: "127.0.0.1", port: 2947), TCPListener(address: "::1", port: 2947),
            ]))
        check.served = Self.port(isOn: true).listens
        #expect(check.open.isEmpty)
        #expect(check.findings == [.ok(.gpsdPort, "locationd answers at gpsd's port 2947, and gpsd does not")])
        check.listeners = .seen([TCPListener(address: "192.0.2.1", port: 2947)])
        #expect(check.open.count == 1)
        #expect(Self.port(isOn: false).listens.isEmpty)
    }

    @Test("the configured receiver stays, and special characters of XML are escaped")
    func device() {
        let text = PortFix.settings(socket: "/a&<b", device: "/dev/tty<>&")
        #expect(text.contains("<key>Socket</key><string>/a&amp;&lt;b</string>"))
        #expect(text.contains("<key>Device</key><string>/dev/tty&lt;&gt;&amp;</string>"))
    }

    @Test("USB receivers that systemd had passed to gpsd are passed to it again, whatever is changed")
    func receivers() throws {
        let receivers = ["gpsdctl@ttyACM0.service", "gpsdctl@ttyUSB1.service"]
        let commands = [
            ["daemon-reload"], ["stop", "gpsd.socket", "gpsd.service"], ["start", "gpsd.socket"],
            ["start", "gpsd.service"], ["start"] + receivers, ["try-restart", "locationd.service"],
        ]
        #expect(try PortFix(with(Self.situation) { $0.receiverUnits = receivers })?.commands == commands)
        let undo = PortUndo(with(Self.fixed) { $0.receiverUnits = receivers })
        #expect(undo?.stop == [commands[1]] && undo?.commands == [commands[0]] + commands[2...])
        #expect(
            UnitState.names(
                listed: "  gpsdctl@ttyACM0.service loaded active exited Manage ttyACM0 for GPS daemon\n"
                    + "gpsdctl@ttyUSB1.service loaded active exited Manage\n\n") == receivers)
    }

    @Test("gpsd is not started if it was not running")
    func idle() throws {
        let situation = with(Self.situation) { $0.exports = Self.exports(isOpen: false, isActive: false) }
        #expect(try PortFix(situation)?.commands.contains(["start", "gpsd.service"]) == false)
        // What it has left in shared memory goes when it starts.
        let left = with(Self.situation) { $0.exports = Self.exports(isOpen: true, isActive: false) }
        #expect(try PortFix(left)?.commands.contains(["start", "gpsd.service"]) == true)
    }

    @Test("open exports are closed where the port is closed, and nothing else is changed")
    func exportsOnly() throws {
        // As an earlier release has left it, with gpsd running or not.
        let half = with(Self.fixed) { $0.serviceDropIn = nil }
        #expect(try PortFix(half)?.writings.map(\.file) == [PortFix.serviceDropInFile])
        // As the administrator has arranged it.
        let own = with(Self.situation) { ($0.port, $0.address) = (Self.closed, .unix(path: "/run/own.sock")) }
        let fix = try #require(try PortFix(own))
        #expect(fix.socket == nil && fix.writings.map(\.file) == [PortFix.serviceDropInFile])
        #expect(fix.description.first?.contains("neither in shared memory") == true)
        #expect(try PortFix(with(own) { $0.exports = Self.exports(isOpen: false) }) == nil)
        // gpsd has not been restarted since.
        let written = with(Self.fixed) { $0.exports = Self.exports(isOpen: true) }
        #expect(try PortFix(written)?.writings == [])
        // While gpsd is stopped, its unit shows the port that it opens.
        let unit = with(UnitState("gpsd.socket")) { $0.listens = ["/run/gpsd.sock", "127.0.0.1:2947"] }
        let stopped = with(own) { ($0.socketUnit, $0.address) = (.seen(unit), .tcp()) }
        #expect(try PortFix(stopped)?.writings.count == 3)
        #expect(
            try PortFix(with(stopped) { $0.exports = Self.exports(isOpen: false, isActive: false) }) == nil)
        // An address in the configuration does not matter to them.
        #expect(try PortFix(with(own) { $0.address = nil })?.writings.count == 1)
    }

    @Test("the drop-in of gpsd.service keeps it from the bus, and replaces the segment with gpsd's key")
    func serviceDropIn() {
        let text = PortFix.serviceDropIn
        #expect(Seal.isIntact(text))
        #expect(text.contains("\nEnvironment=DBUS_SYSTEM_BUS_ADDRESS=disabled:\n"))
        #expect(
            text.contains("\nExecStartPre=/usr/bin/perl -e '") && text.contains("\nExecStopPost=-/usr/bin/perl -e '"))
        #expect(text.contains("shmget(0x47505344, 1, 03000)"))
    }

    @Test("an interrupted attempt is continued: only what is missing is written")
    func incomplete() throws {
        let dropIn = PortFix.dropIn(socket: PortFix.standardSocket)
        let halfDone = with(Self.situation) {
            $0.port = Self.closed
            $0.dropIn = dropIn
            $0.serviceDropIn = PortFix.serviceDropIn
        }
        #expect(try PortFix(halfDone)?.writings.map(\.file) == [Self.settingsFile])
        let done = Self.fixed
        #expect(try PortFix(done) == nil)
        // The settings name another socket than the drop-in.
        let moved = with(done) { $0.address = .unix(path: "/run/other.sock") }
        #expect(try PortFix(moved)?.writings.map(\.file) == [PortFix.dropInFile])
        // Everything is written, but gpsd has not been restarted.
        let notRestarted = with(done) { $0.port = Self.open }
        #expect(try PortFix(notRestarted)?.writings == [])
    }

    @Test("a socket that the user has configured stays, and only gpsd gets a drop-in")
    func ownSocket() throws {
        let own = with(Self.situation) { $0.address = .unix(path: "/run/other.sock") }
        let fix = try #require(try PortFix(own))
        #expect(fix.socket == "/run/other.sock")
        #expect(fix.writings.map(\.file) == [PortFix.dropInFile, PortFix.serviceDropInFile])
    }

    @Test("a closed port without exports needs no fix")
    func closedPortNeedsNoFix() throws {
        let closed = with(Self.situation) { ($0.port, $0.exports) = (Self.closed, Self.exports(isOpen: false)) }
        #expect(try PortFix(closed) == nil)
    }

    /// A situation in which nothing can be done, and words of the message.
    struct Refused: Sendable {
        var situation: PortFix.Situation
        var words: String
    }

    private static func refused(_ words: String, _ change: (inout PortFix.Situation) -> Void) -> Refused {
        Refused(situation: with(situation, change), words: words)
    }

    static let refusals: [Refused] = [
        refused("not the init system") { $0.socketUnit = .hidden("-") },
        refused("no gpsd.socket") { $0.socketUnit = .seen(with(UnitState("g")) { $0.loadState = "not-found" }) },
        refused("unmask") { $0.socketUnit = .seen(with(UnitState("g")) { $0.loadState = "masked" }) },
        refused("no user locationd") { $0.hasServiceUser = false },
        refused("config check") { $0.address = nil },
        refused("another machine") { $0.address = .tcp(host: "gps.example.org", port: 2947) },
        refused("perl-base") { $0.hasInterpreter = false },
        refused("takes commands") { $0.address = .unix(path: "/run/gpsd.sock") },
    ]

    @Test("a port that cannot be closed here is refused with the reason", arguments: refusals)
    func refused(row: Refused) {
        do {
            let fix = try PortFix(row.situation)
            Issue.record("not refused: \(String(describing: fix))")
        } catch {
            #expect(error.description.contains(row.words), "\(error)")
        }
    }

    // MARK: Undoing

    private static let fixed = with(situation) {
        ($0.port, $0.exports) = (closed, exports(isOpen: false))
        $0.dropIn = PortFix.dropIn(socket: PortFix.standardSocket)
        $0.serviceDropIn = PortFix.serviceDropIn
        $0.settings = settings
        $0.address = .unix(path: PortFix.standardSocket)
    }

    @Test("what was written is removed again, and gpsd is restarted with its own ports")
    func undo() throws {
        #expect(PortUndo(Self.situation) == nil)
        let undo = try #require(PortUndo(Self.fixed))
        let files = [PortFix.dropInFile, PortFix.serviceDropInFile, Self.settingsFile]
        #expect(undo.removals == files && undo.kept == [])
        // While gpsd's unit still removes what stands in the place of its shared memory.
        #expect(undo.stop == [["stop", "gpsd.socket", "gpsd.service"]])
        #expect(
            undo.commands == [
                ["daemon-reload"], ["start", "gpsd.socket"], ["start", "gpsd.service"],
                ["try-restart", "locationd.service"],
            ])
        let steps = undo.description
        let stop = try #require(steps.firstIndex(of: "run systemctl stop gpsd.socket gpsd.service"))
        #expect(stop < (try #require(steps.firstIndex(of: "remove \(PortFix.serviceDropInFile)"))))
        let idle = with(Self.fixed) { $0.exports = Self.exports(isOpen: false, isActive: false) }
        #expect(PortUndo(idle)?.commands.contains(["start", "gpsd.service"]) == false)
        // Without gpsd there is nothing to start.
        let withoutGPSD = with(Self.fixed) {
            $0.socketUnit = .seen(with(UnitState("g")) { $0.loadState = "not-found" })
        }
        #expect(PortUndo(withoutGPSD)?.commands == [["daemon-reload"], ["try-restart", "locationd.service"]])
        #expect(PortUndo(withoutGPSD)?.stop == [])
        let withoutSystemd = with(Self.fixed) { $0.socketUnit = .hidden("-") }
        #expect(PortUndo(withoutSystemd)?.commands == [])
        #expect(PortUndo(withoutSystemd)?.removals == files)
    }

    @Test("a file that was changed since stays, which is reported")
    func undoKeepsChangedFiles() throws {
        let changedDropIn = try #require(PortUndo(with(Self.fixed) { $0.dropIn? += "SocketGroup=gps\n" }))
        // The service's settings name the socket of the drop-in.
        #expect(changedDropIn.removals == [] && changedDropIn.commands == [])
        #expect(changedDropIn.kept == [PortFix.dropInFile])
        #expect(changedDropIn.notes.first?.contains("systemctl restart gpsd.socket") == true)
        let changed = try #require(
            PortUndo(with(Self.fixed) { $0.settings = $0.settings?.replacing("gpsd-", with: "") }))
        #expect(changed.removals == [PortFix.dropInFile, PortFix.serviceDropInFile])
        #expect(changed.kept == [Self.settingsFile])
        #expect(changed.description.last?.contains("was changed since") == true)
        let changedService = try #require(PortUndo(with(Self.fixed) { $0.serviceDropIn? += "Nice=1\n" }))
        #expect(changedService.removals == [PortFix.dropInFile, Self.settingsFile])
        #expect(changedService.notes.first?.contains("let gpsd publish again") == true)
    }

    @Test("the checksum of a written file is that of cksum(1), and shows each change")
    func seal() {
        #expect(Seal.checksum([]) == 4_294_967_295)
        #expect(Seal.checksum("123456789".utf8) == 930766865)
        #expect(Seal.checksum([UInt8](repeating: 0x41, count: 300)) == 4015210295)
        let text = Seal.sealed("a\nb\n") { "# \($0)" }
        #expect(text.hasPrefix("a\nb\n# Unchanged") && Seal.isIntact(text))
        for changed in ["", "\n", "a", "a\nb\n", "x" + text, text.replacing("b", with: "c"), text + "c\n", "cksum 7\n"]
        {
            #expect(!Seal.isIntact(changed), "\(changed)")
        }
    }
}
