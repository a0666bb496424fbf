import GPSDProtocol
import FoundationEssentials
import Glibc
import LocationConfiguration
import LocationInterface
import TestSupport
import Testing

@testable import LocationDiagnosis
import POSIXSupport

@Suite("Answers of gpsd", .timeLimit(.minutes(10)))
struct GPSDProbeTests {
    private func hear(_ lines: String...) -> GPSDProbe {
        var probe = GPSDProbe()
        // 2026-11-21T08:30:02Z
        for line in lines { probe.hear(Array(line.utf8)[...], at: 1_795_249_802) }
        return probe
    }

    private static let version = #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"#

    @Test("a gpsd without devices has no receivers")
    func withoutDevices() {
        let probe = hear(Self.version, #"{"class":"DEVICES","devices":[]}"#)
        #expect(probe.answer == .release("3.22"))
        #expect(probe.receivers == [])
    }

    @Test("the probe reads driver, satellites, fix and clock of each receiver")
    func withAFix() {
        let probe = hear(
            Self.version,
            #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/a","activated":0},{"path":"/dev/b"}]}"#,
            #"{"class":"DEVICE","path":"/dev/a","driver":"u-blox","activated":"2026-11-21T08:30:00.000Z","bps":9600}"#,
            #"{"class":"SKY","device":"/dev/a","satellites":[{"PRN":1,"ss":31.5,"used":true},{"PRN":2,"ss":40,"used":false}]}"#,
            #"{"class":"SKY","device":"/dev/a","hdop":1.0}"#,
            #"{"class":"TPV","device":"/dev/a","mode":3,"time":"2026-11-21T08:30:00.500Z","lat":1,"lon":2}"#)
        var a = ReceiverReport(device: "/dev/a")
        a.driver = "u-blox"
        a.mode = .fix3D
        (a.satellitesUsed, a.satellitesSeen) = (1, 2)
        a.satellites = [.init(number: 1, isUsed: true, signal: 31.5), .init(number: 2, isUsed: false, signal: 40)]
        a.clockOffset = 1.5
        #expect(probe.receivers == [a, ReceiverReport(device: "/dev/b")])
    }

    @Test("the probe waits for gpsd while it does not answer, or has not recognized a receiver")
    func starting() {
        let devices = #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/a","activated":0}]}"#
        #expect(hear().isStarting && hear(Self.version).isStarting && hear(Self.version, devices).isStarting)
        let known = #"{"class":"DEVICE","path":"/dev/a","driver":"u-blox","activated":"2026-11-21T08:30:00.000Z"}"#
        #expect(!hear(Self.version, devices, known).isStarting)
        #expect(!hear(Self.version, devices, #"{"class":"TPV","device":"/dev/a","mode":1}"#).isStarting)
        #expect(!hear(Self.version, #"{"class":"DEVICES","devices":[]}"#).isStarting)
    }

    @Test("a gpsd that opens a receiver before it answers is not called silent, and the probe waits for its receiver")
    func slowStart() async throws {
        let gpsd = try await ScriptedGPSD()
        let port = gpsd.port
        // Without more time than that for a start, the probe would be over before gpsd says anything.
        async let probe = Task.detached {
            GPSDProbe.ask(.tcp(host: "127.0.0.1", port: port), seconds: 0, startingSeconds: 600)
        }.value
        let client = try await gpsd.watcher()
        await client.send(#"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/a","activated":0}]}"# + "\r\n")
        await client.send(#"{"class":"TPV","device":"/dev/a","mode":3,"time":"2026-11-21T08:30:00.500Z"}"# + "\r\n")
        #expect(await probe.answer == .release("3.22"))
        #expect(await probe.receivers?.map(\.mode) == [.fix3D])
        try await gpsd.stop()
    }

    @Test("the location service that answers in gpsd's protocol is not gpsd")
    func itself() {
        #expect(hear(GPSDReply.version(release: "3.25", revision: GPSDReply.ownRevision)).answer == .locationService)
    }

    @Test(
        "an unknown line is skipped, unless it is the first",
        arguments: ["", "[", "{}", "220 mail.example.org", "[[[["])
    func oddities(line: String) {
        #expect(hear(line).answer == .notGPSD)
        #expect(hear(Self.version, line).answer == .release("3.22"))
    }
}

@Suite("Files and processes", .timeLimit(.minutes(10)))
struct ProbeTests {
    private let temporary: TemporaryDirectory
    private var directory: String { temporary.path }

    init() throws { temporary = try TemporaryDirectory() }

    @Test("binaries, scripts, links and closed directories are distinguished")
    func programs() throws {
        func file(_ name: String, _ text: String, mode: mode_t = 0o755) throws -> String {
            let path = "\(directory)/\(name)"
            try Data(text.utf8).write(to: URL(filePath: path))
            chmod(path, mode)
            return path
        }
        chmod(directory, 0o755)
        let binary = try file("binary", "\u{7f}ELF")
        symlink(binary, "\(directory)/link")
        mkdir("\(directory)/closed", 0o700)
        let hidden = try file("closed/binary", "\u{7f}ELF")
        #expect(ProgramEvidence.probe(at: binary) == ProgramEvidence(binary))
        #expect(
            ProgramEvidence.probe(at: try file("a", "#! /usr/bin/env python3\n")).content
                == .script(interpreter: "/usr/bin/env"))
        #expect(ProgramEvidence.probe(at: try file("b", "text", mode: 0o644)).content == .notExecutable)
        #expect(ProgramEvidence.probe(at: directory).content == .directory)
        #expect(ProgramEvidence.probe(at: "\(directory)/none").content == .absent)
        #expect(ProgramEvidence.probe(at: "\(directory)/link").target == binary)
        #expect(ProgramEvidence.probe(at: hidden).closedDirectory == "\(directory)/closed")
    }

    @Test("a command's output and exit code are returned")
    func commands() throws {
        let shell = try #require(Command.path(of: "sh"))
        let result = try Command.run([shell, "-c", "echo out; echo err >&2; exit 3"])
        #expect(result.code == 3)
        #expect(result.output == "out\n")
        #expect(try Command.run([shell, "-c", "echo err >&2; kill -9 $$"], includingErrors: true).output == "err\n")
        #expect(try Command.run([shell, "-c", "kill -9 $$"]).code == 137)
        // What `systemctl --user` needs, and nothing else of this process.
        setenv("XDG_RUNTIME_DIR", "/run/user/42", 1)
        #expect(try Command.run([shell, "-c", "echo $XDG_RUNTIME_DIR $HOME"]).output == "/run/user/42\n")
        #expect(throws: Errno(ENOENT)) { try Command.run(["/nonexistent/program"]) }
        #expect(Command.path(of: "no-such-program-anywhere") == nil)
    }

    @Test("doctor's drop-in changes the address of gpsd, and neither the list nor its other settings")
    func settings() throws {
        let list = "\(directory)/l.plist"
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict>
            <!-- Kept. -->
            <key>ClientDirectories</key><array><string>\(directory)</string></array>
            <key>GPSD</key><dict>
                <key>Host</key><string>127.0.0.1</string><key>Device</key><string>/dev/ttyACM0</string>
            </dict>
            </dict></plist>
            """
        try Data(text.utf8).write(to: URL(filePath: list))
        let before = try Configuration.load(file: list)
        let fix = try #require(try PortFix(situation(list)))
        try fix.write(fix.writings[0])
        #expect(SmallFile.text(list) == text)
        let after = try Configuration.load(file: list)
        #expect(after.daemon == with(before.daemon) { $0.gpsd[0].address = .unix(path: PortFix.standardSocket) })
        #expect(FileLook.at(fix.settingsFile).status?.mode == 0o644)
        #expect(try DirectoryListing.names(in: directory) == ["l.plist", "l.plist.d"])
        #expect(try DirectoryListing.names(in: "\(list).d") == [PortFix.settingsName])
    }

    @Test("a drop-in that another one overrides is removed again, with the reason")
    func overridden() throws {
        let list = "\(directory)/l.plist"
        try Data(PropertyList.text([:]).utf8).write(to: URL(filePath: list))
        try FileManager.default.createDirectory(atPath: "\(list).d", withIntermediateDirectories: false)
        try Data(PropertyList.text(["GPSD": [:]]).utf8).write(to: URL(filePath: "\(list).d/zz.plist"))
        let fix = try #require(try PortFix(situation(list)))
        #expect(throws: PortFix.Failure.self) { try fix.write(fix.writings[0]) }
        #expect(try DirectoryListing.names(in: "\(list).d") == ["zz.plist"])
    }

    /// The situation of a list on this machine, as if gpsd's port were open and systemd there.
    private func situation(_ list: String) -> PortFix.Situation {
        var situation = PortFix.probe(
            configurationFile: list, port: PortCheck(listeners: .seen([TCPListener(address: "::1", port: 2947)])),
            exports: ExportsCheck(segmentMode: .seen(nil), isOnBus: .seen(false), unit: .seen(UnitState("b"))))
        situation.socketUnit = .seen(UnitState("a"))
        situation.hasServiceUser = true
        return situation
    }
}
