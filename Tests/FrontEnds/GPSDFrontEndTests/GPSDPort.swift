import DaemonTestSupport
import Glibc
import LinuxPlumbing
import LocationConfiguration
import LocationModel
import LocationPolicy
import LocationSources
import NIOCore
import Synchronization
import TestSupport
import Testing

@testable import GPSDFrontEnd
@testable import LocationCore
@testable import PeerIdentification
@testable import Varlink

/// gpsd's port of a daemon, over real connections. Its programs are this very process, taken for whoever the test says, unless they
/// are programs of gpsd itself.
enum GPSDPort {
    /// Who the peers are, and how often that was asked.
    final class Peers: Sendable {
        private struct State {
            var identity: PeerIdentity? = .example()
            var process: Int32 = getpid()
            var count = 0
        }
        private let state = Mutex(State())

        var count: Int { state.withLock { $0.count } }
        func become(_ identity: PeerIdentity?) { state.withLock { $0.identity = identity } }
        func become(process: Int32) { state.withLock { $0.process = process } }

        func identify() throws -> PeerIdentifier.LoopbackPeer {
            let (identity, process) = state.withLock { state in
                state.count += 1
                return (state.identity, state.process)
            }
            guard let identity else { throw PeerIdentifier.Failure(description: "it wears a mask") }
            return PeerIdentifier.LoopbackPeer(
                identity: identity, processes: [try #require(WatchedProcess(processID: process))])
        }
    }

    /// A program of gpsd: commands out, lines in.
    struct Program {
        let wire: Wire

        init(_ port: Int) async throws {
            wire = try await Wire.connect(toPort: port)
            #expect(
                try await next()
                    == #"{"class":"VERSION","release":"3.25","rev":"locationd","proto_major":3,"proto_minor":15}"#)
        }

        /// The next line; `nil` after the end of the connection.
        func next() async throws -> String? {
            while let line = try await wire.receive() {
                #expect(line.hasSuffix("\r"), "\(line)")
                if !line.hasPrefix("$PLCTD") { return line.dropLast().withoutPadding }
            }
            return nil
        }

        /// The next line of a class. Those before it are passed over.
        func next(_ kind: String, containing text: String = "") async throws -> String {
            while let line = try await next() {
                if line.hasPrefix(#"{"class":"\#(kind)""#), line.contains(text) { return line }
            }
            throw AwaitedInVain("a \(kind) with “\(text)”", because: "the connection has ended")
        }

        /// Starts the reports, and passes over the answer.
        func watch(_ members: String = #""json":true"#) async throws {
            await wire.send(#"?WATCH={"enable":true,\#(members)};"# + "\n")
            _ = try await next("DEVICES")
            _ = try await next("WATCH")
        }

        /// The answer to POLL.
        func poll() async throws -> String {
            await wire.send("?POLL;\n")
            return try await next("POLL")
        }
    }

    static let noFix = #"{"class":"TPV","device":"/dev/locationd","mode":1}"#

    /// The TPV of an exact fix.
    static func tpv(_ fix: Fix) -> String {
        guard case .location(let location) = fix.event else { return "" }
        return PositionText.tpv(location)
    }

    /// Runs a test with a daemon that serves gpsd's programs at a free port.
    static func run(
        clients: [ClientDeclaration] = [.example()], interval: TimeAmount = .milliseconds(50), isReal: Bool = false,
        _ test: (DaemonUnderTest, Int, Peers) async throws -> Void
    ) async throws {
        let peers = Peers()
        try await DaemonUnderTest.run(.socket, clients: clients) { daemon in
            let frontEnd = try await daemon.onLoop { core in
                let loop = core.eventLoop
                return GPSDFrontEnd(
                    core: core, identifier: PeerIdentifier(eventLoop: loop), interval: interval,
                    identify: isReal ? nil : { _, _ in loop.makeCompletedFuture { try peers.identify() } })
            }
            try await frontEnd.listen(at: .port(0))
            let port = try await daemon.onLoop { core in
                core.add(frontEnd)
                return frontEnd.port
            }
            try await test(daemon, try #require(port), peers)
        }
    }
}
