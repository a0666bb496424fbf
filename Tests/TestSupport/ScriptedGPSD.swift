/// A scripted gpsd: it listens, and says to those that connect what the test has it say.
package final class ScriptedGPSD: Sendable {
    /// What gpsd says first.
    package static let banner = #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"#
    /// What a client says that wants reports, and that wants no more.
    package static let watch = #"?WATCH={"enable":true,"json":true}"#
    package static let unwatch = #"?WATCH={"enable":false}"#

    /// Its port, or 0 for a Unix socket.
    package var port: Int { listener.port }
    private let listener: Wire.Listener

    /// Listens on a free port of the loopback, or on a Unix socket.
    package init(socket: String? = nil) async throws {
        listener = try await Wire.listen(at: socket)
    }

    /// The next connection, to which nothing was said yet.
    ///
    /// On a very slow machine the other side has given up by now, and connects again: such a connection is passed over.
    package func connection() async throws -> Wire {
        while true {
            var connections = listener.connections.makeAsyncIterator()
            let wire = try await connections.first("a connection to gpsd") { _ in true }
            if try await wire.isOpen { return wire }
        }
    }

    /// The next connection that watches, which was greeted.
    package func watcher() async throws -> Wire {
        while true {
            let wire = try await connection()
            // What a side that has given up had said before can still be read, but nobody hears the answer.
            guard await wire.send(Self.banner + "\r\n") else { continue }
            if let line = try await wire.receive() {
                guard line == Self.watch else { throw AwaitedInVain("a client that watches", because: line) }
                return wire
            }
        }
    }

    package func stop() async throws { try await listener.stop() }
}
