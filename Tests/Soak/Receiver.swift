import BenchmarkLoad
import Glibc

/// A simulated gpsd that can be restarted and sends the soak's fixes.
final class Receiver {
    private static let banner =
        #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"# + "\r\n"
    private static let watching =
        #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/ttyS0","driver":"NMEA0183","#
        + #""activated":"2026-01-01T00:00:00.000Z","flags":1,"native":0,"bps":9600,"parity":"N","#
        + #""stopbits":1,"cycle":1.00}]}"# + "\r\n"
        + #"{"class":"WATCH","enable":true,"json":true,"nmea":false,"raw":0,"scaled":false,"timing":false,"#
        + #""split24":false,"pps":false}"# + "\r\n"

    private let path: String
    private(set) var listener: Int32 = -1
    private(set) var connection: Int32 = -1
    private(set) var isWatched = false
    private(set) var restarts = 0
    /// The number of fixes sent to a watching client.
    private(set) var sent = 0

    init(path: String) throws {
        self.path = path
        try listen()
    }

    var isUp: Bool { listener >= 0 }

    /// Stops like a gpsd that is restarted.
    func stop() {
        for descriptor in [listener, connection] where descriptor >= 0 { close(descriptor) }
        (listener, connection) = (-1, -1)
        isWatched = false
        unlink(path)
        restarts += 1
    }

    func listen() throws {
        listener = unix_listen(path)
        guard listener >= 0 else { throw SoakError.system("listen at \(path)") }
    }

    /// Handles connections and commands.
    func handle() {
        if listener >= 0 {
            let accepted = unix_accept(listener)
            if accepted >= 0 {
                if connection >= 0 { close(connection) }
                connection = accepted
                isWatched = false
                say(Self.banner)
            }
        }
        guard connection >= 0 else { return }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(connection, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        if count > 0 {
            let text = String(decoding: buffer[..<count], as: UTF8.self)
            let (on, off) = (text.lastRange(of: #""enable":true"#), text.lastRange(of: #""enable":false"#))
            if let on, off.map({ $0 < on }) ?? true {
                isWatched = true
                say(Self.watching)
            } else if off != nil {
                isWatched = false
            }
        } else if count == 0 || errno != EAGAIN {
            close(connection)
            connection = -1
            isWatched = false
        }
    }

    /// Sends a fix to a watching client.
    func send(_ fix: Fix) {
        guard isWatched else { return }
        say(fix.line)
        sent += 1
    }

    private func say(_ text: String) {
        // A few hundred bytes fit into the socket's buffer unless the daemon has stopped reading, and then it loses
        // fixes.
        _ = text.utf8.withContiguousStorageIfAvailable {
            Glibc.send(
                connection, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
        }
    }
}

extension String {
    /// The last range of `text`.
    fileprivate func lastRange(of text: String) -> Index? { ranges(of: text).last?.lowerBound }
}
