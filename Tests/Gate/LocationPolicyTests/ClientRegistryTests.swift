import LocationPolicy
import Testing

@Suite(.timeLimit(.minutes(10))) struct ClientRegistryTests {
    func declaration(_ identifier: String, _ set: (inout ClientMatch) -> Void) -> ClientDeclaration {
        var match = ClientMatch()
        set(&match)
        return ClientDeclaration(identifier: identifier, match: match, file: "\(identifier).plist")
    }

    func peer(user: UInt32 = 1000, _ set: (inout PeerIdentity) -> Void = { _ in }) -> PeerIdentity {
        var peer = PeerIdentity(userID: user, processID: 4711)
        set(&peer)
        return peer
    }

    @Test("every criterion of a match must hold")
    func everyCriterionMustHold() {
        let registry = ClientRegistry([
            declaration("org.example.Weather") {
                $0.executable = "/usr/bin/weather"
                $0.systemdUnit = "weather.service"
                $0.users = [1000]
            }
        ])
        let full = peer {
            $0.executable = "/usr/bin/weather"
            $0.systemdUnit = "weather.service"
        }
        #expect(registry.recognise(full) == .declared(registry.declarations["org.example.Weather"]!))
        #expect(registry.recognise(peer { $0.executable = "/usr/bin/weather" }) == .undeclared)
        #expect(registry.recognise(peer { $0.systemdUnit = "weather.service" }) == .undeclared)
        var other = full
        other.userID = 1001
        #expect(registry.recognise(other) == .undeclared)
    }

    @Test(
        "an unknown property matches no criterion",
        arguments: [\ClientMatch.executable, \.systemdUnit, \.userUnit, \.flatpakID, \.securityLabel])
    func unknownPropertyMatchesNothing(criterion: any WritableKeyPath<ClientMatch, String?> & Sendable) {
        let registry = ClientRegistry([declaration("org.example.Weather") { $0[keyPath: criterion] = "x" }])
        #expect(registry.recognise(peer()) == .undeclared)
    }

    @Test("a match without criteria matches no process")
    func matchWithoutCriteriaMatchesNothing() {
        let registry = ClientRegistry([
            declaration("org.example.Nobody") { _ in },
            declaration("org.example.User") { $0.users = [1000] },
        ])
        #expect(registry.recognise(peer { $0.executable = "/usr/bin/weather" }) == .undeclared)
    }

    @Test("the more specific declaration wins, and a tie is refused")
    func moreSpecificDeclarationWinsAndTieIsRefused() {
        let general = declaration("org.example.General") { $0.executable = "/usr/bin/python3.11" }
        let special = declaration("org.example.Special") {
            $0.executable = "/usr/bin/python3.11"
            $0.systemdUnit = "weather.service"
        }
        let twin = declaration("org.example.Twin") { $0.executable = "/usr/bin/python3.11" }
        let inUnit = peer {
            $0.executable = "/usr/bin/python3.11"
            $0.systemdUnit = "weather.service"
        }
        let outside = peer { $0.executable = "/usr/bin/python3.11" }
        let registry = ClientRegistry([general, special])
        #expect(registry.recognise(inUnit) == .declared(special))
        #expect(registry.recognise(outside) == .declared(general))
        #expect(ClientRegistry([general, special, twin]).recognise(outside) == .ambiguous([general, twin]))
    }

    @Test("an executable in a namespace of its own counts only beside another criterion")
    func ownNamespace() {
        var peer = PeerIdentity(userID: 1000, processID: 77)
        peer.executable = "/usr/bin/example"
        peer.systemdUnit = "example.service"
        var match = ClientMatch()
        match.executable = peer.executable
        match.users = [1000]
        #expect(match.matches(peer))
        peer.unverifiedExecutable = UnverifiedExecutable(path: "/usr/bin/example", reason: .ownNamespace)
        #expect(!match.matches(peer))
        #expect(peer.recognisedExecutable == nil)
        match.systemdUnit = "example.service"
        #expect(match.matches(peer))
        match.executable = "/usr/bin/other"
        #expect(!match.matches(peer))
    }
}

@Suite("Claims in declarations", .timeLimit(.minutes(10))) struct DeclaredClaimTests {
    @Test("a declaration binds the claim that it names, and no other")
    func bindsClaim() {
        func declaration(_ identifier: String, _ executable: String, claim: String?) -> ClientDeclaration {
            var match = ClientMatch()
            (match.executable, match.desktopID) = (executable, claim)
            return ClientDeclaration(identifier: identifier, match: match, file: "\(identifier).plist")
        }
        let registry = ClientRegistry([
            declaration("maps", "/usr/bin/gjs-console", claim: "org.gnome.Maps"),
            declaration("firefox", "/usr/bin/firefox", claim: nil),
        ])
        func binds(_ executable: String, _ claim: String?) -> Bool {
            var peer = PeerIdentity(userID: 1000, processID: 42)
            (peer.executable, peer.claimedDesktopID) = (executable, claim)
            return registry.bindsClaim(of: peer)
        }
        #expect(binds("/usr/bin/gjs-console", "org.gnome.Maps"))
        #expect(!binds("/usr/bin/gjs-console", "org.gnome.Weather"))
        #expect(!binds("/usr/bin/gjs-console", nil))
        #expect(!binds("/usr/bin/python3", "org.gnome.Maps"))
        #expect(!binds("/usr/bin/firefox", "org.gnome.Maps"))
    }
}
