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
    package func connection() async throws -> Wire {
        var connections = listener.connections.makeAsyncIterator()
        return try await connections.first("a connection to gpsd") { _ in true }
    }

    /// The next connection that watches, which was greeted.
    package func watcher() async throws -> Wire {
        while true {
            let wire = try await connection()
            await wire.send(Self.banner + "\r\n")
            // On a very slow machine the other side may have given up by now; it will connect again.
            if let line = try await wire.receive() {
                guard line == Self.watch else { throw AwaitedInVain("a client that watches", because: line) }
                return wire
            }
        }
    }

    package func stop() async throws { try await listener.stop() }
}
