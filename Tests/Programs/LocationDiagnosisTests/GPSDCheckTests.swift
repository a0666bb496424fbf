import GPSDProtocol
import Glibc
@testable import LocationDiagnosis
import TestSupport
import Testing

@Suite("gpsd", .timeLimit(.minutes(10)))
struct GPSDCheckTests {
    private static let unix = GPSDAddress.unix(path: "/run/gpsd-client.sock")

    private static func row(
        _ answer: GPSDCheck.Answer, at address: GPSDAddress = .tcp(host: "127.0.0.1", port: 2947),
        _ short: String,
        _ words: String, _ change: (inout GPSDCheck) -> Void = { _ in }
    ) -> Judged<GPSDCheck> {
        Judged(GPSDCheck(address: address, answer: answer), [short], words, change)
    }

    private static func unit(_ change: (inout UnitState) -> Void) -> Evidence<UnitState> {
        .seen(with(UnitState("gpsd.socket"), change))
    }

    static let rows: [Judged<GPSDCheck>] = [
        row(.release("3.22"), "ok gpsd.reachable", "gpsd 3.22 answers at 127.0.0.1:2947"),
        row(.release("3.22"), "problem gpsd.reachable", "but not locationd: No.") { $0.serviceView = .failed("No.") },
        row(.refused, "problem gpsd.installed", "apt install gpsd") { $0.isInstalled = false },
        row(.release("3.22"), "ok gpsd.reachable", "answers") { $0.isInstalled = false },
        row(.refused, at: .tcp(host: "10.0.0.1", port: 2947), "problem gpsd.reachable", "on that machine") {
            $0.isInstalled = false
        },
        row(.refused, "problem gpsd.reachable", "Start gpsd") { $0.socketUnit = .hidden("no systemd") },
        row(.refused, "problem gpsd.reachable", "Start gpsd") { $0.socketUnit = unit { $0.loadState = "not-found" } },
        row(.refused, "problem gpsd.reachable", "systemctl unmask gpsd.socket") {
            $0.socketUnit = unit { $0.loadState = "masked" }
        },
        row(.refused, "problem gpsd.reachable", "systemctl enable --now gpsd.socket") {
            $0.socketUnit = unit { $0.activeState = "inactive" }
        },
        row(.refused, "problem gpsd.reachable", "gpsd.socket has failed") {
            $0.socketUnit = unit { $0.activeState = "failed" }
        },
        row(.refused, "problem gpsd.reachable", "listens at /run/gpsd.sock, /run/g: correct GPSD") {
            $0.socketUnit = unit { $0.listens = ["/run/gpsd.sock", "/run/g"] }
        },
        row(.noSuchSocket, at: unix, "problem gpsd.reachable", "there is no socket at /run/gpsd-client.sock"),
        row(.closedAtOnce, "problem gpsd.reachable", "64"),
        row(.silent, "problem gpsd.reachable", "does not answer"),
        row(.locationService, "problem gpsd.reachable", "locationd itself answers at 127.0.0.1:2947"),
        row(.notGPSD, "problem gpsd.reachable", "is not gpsd"),
        row(.failed("no route"), "problem gpsd.reachable", "no route"),
        row(.noPermission, at: unix, "notChecked gpsd.reachable", "needs root"),
        row(.noPermission, at: unix, "ok gpsd.reachable", "is closed to you") { $0.serviceView = .connected },
        row(.noPermission, at: unix, "ok gpsd.reachable", "gpsd 3.22 at /run/gpsd-client.sock answers locationd") {
            ($0.serviceView, $0.serviceRelease) = (.connected, "3.22")
        },
        row(.noPermission, at: unix, "problem gpsd.reachable", "It went away.") {
            $0.serviceView = .failed("It went away.")
        },
        row(.refused, "ok gpsd.installed", "not needed: locations come from the fixed position") {
            ($0.isInstalled, $0.substitute) = (false, "the fixed position")
        },
        row(.refused, "ok gpsd.reachable", "not needed") { $0.substitute = "the fixed position" },
        row(.noSuchSocket, at: unix, "ok gpsd.reachable", "not needed") { $0.substitute = "Wi-Fi" },
        row(.silent, "problem gpsd.reachable", "does not answer") { $0.substitute = "the fixed position" },
        row(.silent, "ok gpsd.reachable", "replays replay:a.json") { $0.replayed = "replay:a.json" },
    ]

    @Test("gpsd's answer and its unit lead to their findings", arguments: rows)
    func findings(row: Judged<GPSDCheck>) { row.verify() }

    @Test(
        "the socket's permissions",
        arguments: [
            (FileStatus(.socket, owner: 990, mode: 0o600), "ok gpsd.socket"),
            (FileStatus(.socket, owner: 0, group: 990, mode: 0o660), "ok gpsd.socket"),
            (FileStatus(.socket, owner: 0, mode: 0o600), "problem gpsd.socket"),
            (FileStatus(.socket, owner: 990, mode: 0o666), "problem gpsd.socket"),
            (FileStatus(.socket, owner: 990, mode: 0o602), "problem gpsd.socket"),
        ])
    func socket(file: FileStatus, short: String) {
        let check = with(GPSDCheck(address: Self.unix, answer: .release("3.22"))) {
            $0.socketFile = file
            $0.service = locationd
        }
        #expect(check.short == ["ok gpsd.reachable", short])
    }

    @Test(
        "sources in the service's status are parsed",
        arguments: [
            ("127.0.0.1:2947", .gpsd(.tcp(host: "127.0.0.1", port: 2947))),
            ("[::1]:1", .gpsd(.tcp(host: "::1", port: 1))),
            ("/run/g.sock", .gpsd(.unix(path: "/run/g.sock"))), ("replay:a.json", .replay("replay:a.json")),
            ("none", nil),
        ] as [(String, StatedSource?)])
    func statedSource(text: String, source: StatedSource?) {
        #expect(StatedSource(text) == source)
    }
}

@Suite("gpsd's release", .timeLimit(.minutes(10)))
struct GPSDReleaseCheckTests {
    @Test(
        "published errors are a finding only where others may ask gpsd",
        arguments: [
            ("3.22", true, ["advice gpsd.release"]), ("3.22", false, ["ok gpsd.release"]),
            ("3.27", true, ["advice gpsd.release"]), ("3.27.5", true, ["advice gpsd.release"]),
            ("3.27.6", true, []), ("3.28", true, []), ("4.0", true, []),
            // Between two releases, and what is no release.
            ("3.27.6~dev", true, []), ("3.27.5-dev", true, []), ("release", true, []), ("", true, []), (nil, true, []),
        ] as [(String?, Bool, [String])])
    func releases(release: String?, isOpen: Bool, short: [String]) {
        #expect(GPSDReleaseCheck(release: release, isOpen: isOpen).short == short)
    }

    @Test("defects corrected in 3.27.1 are named before it, with the note that a distribution may have corrected them")
    func words() throws {
        let old = try #require(GPSDReleaseCheck(release: "3.27", isOpen: true).findings.first)
        #expect(old.found.contains("work item 397") && old.found.contains("CVE-2025-67268"))
        #expect(old.remedy?.contains("distribution may have corrected") == true)
        #expect(old.remedy?.contains("sudo locationctl doctor --fix") == true)
        let new = try #require(GPSDReleaseCheck(release: "3.27.1", isOpen: false).findings.first)
        #expect(new.found.contains("work item 397") && !new.found.contains("CVE"))
        #expect(new.found.contains("unless the distribution has corrected them"))
        let check = with(GPSDReleaseCheck(release: "3.22", isOpen: true)) { $0.isFixable = false }
        #expect(check.findings[0].remedy?.contains("--fix") == false)
    }
}

@Suite("gpsd's port", .timeLimit(.minutes(10)))
struct PortCheckTests {
    private static func row(_ listeners: [(String, UInt16)], _ severity: String, _ words: String) -> Judged<PortCheck> {
        let listeners = listeners.map { TCPListener(address: $0.0, port: $0.1) }
        return Judged(PortCheck(listeners: .seen(listeners)), ["\(severity) gpsd.port"], words)
    }

    static let rows: [Judged<PortCheck>] = [
        row([], "ok", "not open"),
        row([("127.0.0.1", 22)], "ok", "not open"),
        row([("127.0.0.1", 2947), ("::1", 2947)], "problem", "every local user"),
        row([("127.0.0.1", 2947), ("0.0.0.0", 2947)], "problem", "everybody whose network"),
        row([("::", 2947)], "problem", "[::]:2947 (every address)"),
        row([("192.168.1.2", 2947)], "problem", "everybody whose network"),
        Judged(PortCheck(listeners: .hidden("no /proc")), ["notChecked gpsd.port"], "no /proc"),
    ]

    @Test("each listening port leads to its findings", arguments: rows)
    func findings(row: Judged<PortCheck>) { row.verify() }

    @Test(
        "a program that holds gpsd's port in gpsd's place is named, and gpsd is not blamed",
        arguments: [
            (PortHolder(("python3", 4711), userID: 0), ["python3 (process 4711 of user root)", "sudo kill 4711"]),
            // Another user's, which is hidden from this one.
            (PortHolder(nil, userID: 65_500), ["a program of user 65500", "sudo ss --listening --tcp"]),
        ] as [(PortHolder, [String])])
    func foreign(holder: PortHolder, words: [String]) throws {
        let listener = TCPListener(address: "127.0.0.1", port: 2947)
        var check = PortCheck(listeners: .seen([listener]))
        check.holders = [listener: holder]
        #expect(check.short == ["problem gpsd.port"])
        let finding = try #require(check.findings.first)
        let text = finding.found + (finding.remedy ?? "")
        for words in words { #expect(text.contains(words), "\(text)") }
        #expect(!text.contains("can ask gpsd where you are"))
        #expect(text.contains("sudo locationctl doctor --fix"))
        // gpsd beside it is a finding of its own.
        let own = TCPListener(address: "::1", port: 2947)
        check.listeners = .seen([listener, own])
        check.holders[own] = PortHolder(("gpsd", 12), userID: 0)
        #expect(check.short == ["problem gpsd.port", "problem gpsd.port"])
        #expect(check.foreign.map(\.listener) == [listener])
        // What systemd or gpsd holds is gpsd's, and so is what nobody can be seen to hold.
        for holder in [PortHolder(("systemd", 1), userID: 0), PortHolder(nil, userID: 0), PortHolder(nil, userID: 114)]
        {
            check.holders = [listener: holder, own: holder]
            #expect(check.foreign.isEmpty && check.short == ["problem gpsd.port"])
        }
    }

    @Test("a listener's process is found by its socket")
    func holder() async throws {
        let server = try await ScriptedGPSD()
        let check = PortCheck.probe(ports: [UInt16(server.port)])
        let (listener, holder) = try #require(check.foreign.first)
        #expect(listener.port == server.port)
        #expect(holder.processID == getpid() && holder.userID == getuid())
        try await server.stop()
    }

    @Test("a port that the service should have and does not is a problem with the command that assigns it")
    func unserved() throws {
        var check = PortCheck(listeners: .seen([]))
        check.unserved = "failed"
        #expect(check.short == ["problem gpsd.port"])
        let finding = try #require(check.findings.first)
        #expect(finding.found.contains("locationd-gpsd.socket is failed"))
        #expect(finding.remedy?.contains("sudo locationctl gpsd on") == true)
    }

    @Test("the configured port is gpsd's, too")
    func otherPort() {
        let check = with(PortCheck(listeners: .seen([TCPListener(address: "127.0.0.1", port: 3000)]))) {
            $0.ports.insert(3000)
        }
        #expect(check.short == ["problem gpsd.port"])
    }

    @Test("listening ports are read from the kernel's tables")
    func tables() {
        let header = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid\n"
        let table =
            header + """
                   0: 0100007F:0B83 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 5
                   1: 00000000:0016 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 6
                   2: 0100007F:0B83 0100007F:9C40 01 00000000:00000000 00:00000000 00000000     0        0 7
                """
        #expect(
            TCPListener.listeners(inTable: table) == [
                TCPListener(address: "127.0.0.1", port: 2947), TCPListener(address: "0.0.0.0", port: 22),
            ])
        let rest = ":0B83 00000000000000000000000000000000:0000 0A 0 0\n"
        let wide =
            header + " 0: 00000000000000000000000001000000" + rest + " 1: 00000000000000000000000000000000" + rest
            + " 2: 000080FE00000000FF005450B6AD1DFE" + rest + " 3: 0000000000000000FFFF00000100007F" + rest
            + " 4: 00:0B83 0 0A\n"
        #expect(
            TCPListener.listeners(inTable: wide).map(\.address)
                == ["::1", "::", "fe80:0:0:0:5054:ff:fe1d:adb6", "::ffff:127.0.0.1"])
    }
}
