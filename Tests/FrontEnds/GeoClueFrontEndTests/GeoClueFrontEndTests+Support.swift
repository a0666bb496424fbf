import DaemonTestSupport
import Glibc
import LocationConfiguration
import LocationInterface
import LocationModel
import LocationPolicy
import LocationSources
import Synchronization
import TestSupport
import Testing

@testable import GeoClueFrontEnd
@testable import LocationCore
@testable import PeerIdentification
@testable import Varlink

/// The applications that an agent was asked about, all of which it allows.
final class Asked: Sendable {
    private let asked = Mutex<[String]>([])
    var applications: [String] { asked.withLock { $0 } }

    func note(_ application: String) -> Bool {
        asked.withLock { $0.append(application) }
        return true
    }
}

/// What an agent says its level is.
final class Level: Sendable {
    private let level = Mutex<UInt32>(8)
    var value: UInt32 {
        get { level.withLock { $0 } }
        set { level.withLock { $0 = newValue } }
    }
}

extension InstalledApplications {
    /// The id of some application that is installed here.
    static var anyID: String? {
        guard let directory = opendir("/usr/share/applications") else { return nil }
        defer { closedir(directory) }
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            let id = String(name.dropLast(".desktop".count))
            if name.hasSuffix(".desktop"), InstalledApplications().entry(id) != nil { return id }
        }
        return nil
    }
}

extension BusClient {
    /// A client object that has been told of a location, the first one.
    func located(_ daemon: DaemonUnderTest) async throws -> String {
        let client = try await client()
        _ = try await set("RequestedAccuracyLevel", .number(8), of: client)
        async let reply = start(client)
        try await daemon.emitUntilNeeded(Fix(number: 1))
        #expect(try await reply.error == nil)
        return client
    }
}

extension AsyncStream<BusClient.Signal>.Iterator {
    /// Waits until a client object says that it is active, or is not.
    mutating func waitFor(_ client: String, isActive: Bool) async throws {
        let change = BusClient.Signal(member: "Active", path: client, value: .boolean(isActive))
        _ = try await first("\(client) that is \(isActive ? "active" : "stopped")") { $0 == change }
    }
}

extension DaemonUnderTest {
    /// Waits until `trigger` has opened the front end, or closed it.
    @discardableResult
    func awaitFrontEnd<Result>(isOpen: Bool, after trigger: () async throws -> Result) async throws -> Result {
        try await wait(
            for: isOpen ? "an open front end" : "a closed front end", after: trigger,
            until: { $0.frontEnds.compactMap(\.status).first.map { ($0.problem == nil) == isOpen } ?? false })
    }
}
