import LocationModel
import LocationPolicy
import TestSupport
import Testing

@testable import LocationStore

@Suite("Decisions about undeclared programs under claimed names", .timeLimit(.minutes(10))) struct ClaimTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func withStore<T>(_ body: (LocationStore) throws -> T) throws -> T { try body(directory.open().store) }
    private func key(_ client: String, _ user: UInt32 = 1000) -> ClientKey { ClientKey(userID: user, client: client) }

    @Test("a denial under any name denies the program, grants need a new prompt, and other clients keep theirs")
    func decisions() throws {
        try withStore {
            try $0.save(.init(.whenInUse), for: key("/usr/bin/map"), origin: .root)
            try $0.save(.init(.whenInUse), for: key("/usr/bin/map:a"), origin: .user)
            try $0.save(.init(.denied), for: key("/usr/bin/map:b"), origin: .user)
            try $0.save(.init(.always), for: key("/usr/bin/map:a", 1001), origin: .user)
            try $0.save(.init(.whenInUse), for: key("/opt/a%3Ab"), origin: .user)
            try $0.save(.init(.denied), for: key("flatpak:org.example.Map"), origin: .user)
            try $0.save(.init(.always), for: .weather, origin: .user)
        }
        for _ in 1...2 {
            let decisions = try withStore { try $0.decisions() }
            #expect(
                decisions.mapValues(\.record) == [
                    key("/usr/bin/map"): .init(.denied), key("/opt/a%3Ab"): .init(.whenInUse),
                    key("flatpak:org.example.Map"): .init(.denied), .weather: .init(.always),
                ])
            #expect(decisions[key("/usr/bin/map")]?.origin == .user)
        }
    }

    @Test("a program keeps its grid and the time of its last reduced location")
    func reducedLocations() throws {
        let secret = try withStore {
            try $0.reserveReducedRelease(client: "/usr/bin/map:a", at: .example)
            try $0.reserveReducedRelease(client: "/usr/bin/map:b", at: .example.advanced(by: .seconds(9)))
            try $0.reserveReducedRelease(client: "org.example.Weather", at: .example)
            return try $0.reductionSecret(for: "/usr/bin/map:a")
        }
        let (releases, kept) = try withStore { (try $0.reducedReleases(), try $0.reductionSecret(for: "/usr/bin/map")) }
        #expect(
            releases == ["/usr/bin/map": .example.advanced(by: .seconds(9)), "org.example.Weather": .example])
        #expect(kept == secret)
    }
}

@Suite("The accuracy that desktops allow", .timeLimit(.minutes(10))) struct DesktopLevelTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func withStore<T>(_ body: (LocationStore) throws -> T) throws -> T { try body(directory.open().store) }

    @Test("the last level of each user survives reopening, until there is no limit")
    func kept() throws {
        try withStore {
            #expect(try $0.desktopLevels() == [:])
            try $0.setDesktopLevel(0, for: 1000)
            try $0.setDesktopLevel(0, for: 1001)
            try $0.setDesktopLevel(4, for: 1001)
            try $0.setDesktopLevel(1, for: 0)
            try $0.setDesktopLevel(nil, for: 0)
        }
        #expect(try withStore { try $0.desktopLevels() } == [1000: 0, 1001: 4])
        try withStore { try $0.setDesktopLevel(nil, for: 1000) }
        #expect(try withStore { try $0.desktopLevels() } == [1001: 4])
    }
}
