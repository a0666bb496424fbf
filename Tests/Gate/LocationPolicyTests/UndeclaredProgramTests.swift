import LocationPolicy
import Testing

@Suite("Undeclared programs", .timeLimit(.minutes(10))) struct UndeclaredProgramTests {
    private static func peer(
        _ executable: String?, claiming claim: String? = nil, _ change: (inout PeerIdentity) -> Void = { _ in }
    ) -> PeerIdentity {
        var peer = PeerIdentity(userID: 1000, processID: 42)
        (peer.executable, peer.claimedDesktopID) = (executable, claim)
        change(&peer)
        return peer
    }

    @Test(
        "each program has one identifier, which no other has",
        arguments: [
            (peer("/usr/bin/gammastep", claiming: "gammastep"), "/usr/bin/gammastep"),
            (peer("/usr/bin/gjs-console", claiming: "org.gnome.Maps"), "/usr/bin/gjs-console"),
            (peer("/usr/bin/map"), "/usr/bin/map"),
            (peer("/opt/a:b c/ü"), "/opt/a%3Ab%20c/%C3%BC"),
            (peer(nil) { $0.systemdUnit = "weather.service" }, "unit:weather.service"),
            (
                peer("/usr/bin/bwrap", claiming: "org.other") { $0.flatpakID = "org.example.Map" },
                "flatpak:org.example.Map"
            ),
        ])
    func identifier(_ peer: PeerIdentity, _ identifier: String) throws {
        let program = try #require(UndeclaredProgram(peer))
        #expect(program.identifier == identifier)
        #expect(UndeclaredProgram(identifier: identifier) == program)
    }

    @Test("a claim makes no other program")
    func claim() throws {
        let programs = ["org.gnome.Maps", "org.gnome.Weather", nil].map {
            UndeclaredProgram(Self.peer("/usr/bin/gjs-console", claiming: $0))
        }
        #expect(Set(programs).count == 1)
    }

    @Test(
        "text that is not an identifier of a program is refused",
        arguments: [
            "", "org.example.App", "a:b", "flatpak:", "/a:b", "/a:b:c", "/a%3ab", "/a%", "/a%2Fb", "/a b", "unit:",
        ])
    func noIdentifier(_ text: String) {
        #expect(UndeclaredProgram(identifier: text) == nil)
    }

    @Test("a program without certain properties has no identifier, whatever it claims")
    func nothingKnown() {
        #expect(UndeclaredProgram(Self.peer(nil, claiming: "org.gnome.Maps")) == nil)
        let sandboxed = Self.peer("/usr/bin/map") {
            $0.unverifiedExecutable = UnverifiedExecutable(path: "/usr/bin/map", reason: .ownNamespace)
        }
        #expect(UndeclaredProgram(sandboxed) == nil)
        let session = Self.peer(nil) { ($0.systemdUnit, $0.session) = ("session-1.scope", "1") }
        #expect(UndeclaredProgram(session) == nil)
    }

    @Test("a prompt shows its verified name, the name that it claims, and the extent of the answer")
    func names() throws {
        func declaration(_ executable: String, _ claim: String?, reason: String? = nil) throws -> ClientDeclaration {
            try #require(UndeclaredProgram(Self.peer(executable))).declaration(claim: claim, reason: reason)
        }
        let maps = try declaration("/usr/bin/gjs-console", "org.gnome.Maps")
        #expect(maps.displayName == "gjs-console")
        #expect(
            maps.whenInUseUsageDescription
                == "It calls itself org.gnome.Maps and gives no reason. Your answer counts for everything that "
                + "gjs-console runs.")
        #expect(
            try declaration("/usr/bin/python3", "Maps”, which you trust").whenInUseUsageDescription?
                .hasPrefix("It calls itself “Maps, which you trust” and") == true)
        #expect(
            try declaration("/usr/bin/python3", String(repeating: "a", count: 100)).whenInUseUsageDescription?
                .hasPrefix("It calls itself \(String(repeating: "a", count: 64))… and") == true)
        #expect(try declaration("/usr/bin/gammastep", "gammastep").whenInUseUsageDescription == "It gives no reason.")
        for path in ["/usr/bin/python3.11", "/usr/bin/bash"] {
            let name = try #require(path.split(separator: "/").last)
            #expect(
                try declaration(path, nil).whenInUseUsageDescription
                    == "It gives no reason. Your answer counts for everything that \(name) runs.")
        }
        #expect(
            try declaration("/usr/bin/gpspipe", nil).whenInUseUsageDescription
                == "It gives no reason. Your answer counts for every program that starts gpspipe and reads what it prints."
        )
        #expect(try declaration("/usr/bin/map", "map", reason: "Maps.").whenInUseUsageDescription == "Maps.")
        #expect(maps.match.desktopID == nil)
    }

    @Test("DesktopID narrows a match, and never makes one")
    func match() {
        var match = ClientMatch()
        match.desktopID = "org.gnome.Maps"
        let maps = Self.peer("/usr/bin/gjs-console", claiming: "org.gnome.Maps")
        #expect(!match.matches(maps))
        match.executable = "/usr/bin/gjs-console"
        #expect(match.matches(maps))
        #expect(!match.matches(Self.peer("/usr/bin/gjs-console", claiming: "org.gnome.Weather")))
        #expect(!match.matches(Self.peer("/usr/bin/gjs-console")))
        #expect(!match.matches(Self.peer("/usr/bin/python3", claiming: "org.gnome.Maps")))
        var sandboxed = maps
        sandboxed.unverifiedExecutable = UnverifiedExecutable(path: "/usr/bin/gjs-console", reason: .ownNamespace)
        // A claim does not help an executable that counts only beside other evidence.
        #expect(!match.matches(sandboxed))
    }
}
