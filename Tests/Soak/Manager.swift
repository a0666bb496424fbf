import BenchmarkLoad
import FoundationEssentials
import Glibc
import LocationInterface
import LocationModel

/// An administrator of the daemon: a connection of root or of the user that runs the soak, which makes one call after
/// the other.
final class Manager {
    private let descriptor: Int32
    private var received: [UInt8] = []

    init(socket: String) throws {
        descriptor = unix_connect(socket)
        guard descriptor >= 0 else { throw SoakError.system("connect to \(socket)") }
        var limit = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    private struct Answer<Parameters: Decodable>: Decodable {
        var parameters: Parameters?
        var error: String?
    }

    private struct Anything: Decodable {}

    /// The daemon's status.
    func status() throws -> ManagerInterface.GetServiceStatus.Reply {
        let answer = try call(
            ManagerInterface.GetServiceStatus.name, "{}", as: ManagerInterface.GetServiceStatus.Reply.self)
        guard let status = answer.parameters else { throw SoakError.noAnswer(answer.error ?? "GetServiceStatus") }
        return status
    }

    /// Reloads the configuration. Returns the number of refused parts.
    func reload() throws -> Int {
        let answer = try call(ManagerInterface.Reload.name, "{}", as: ManagerInterface.Reload.Reply.self)
        guard let reply = answer.parameters else { throw SoakError.noAnswer(answer.error ?? "Reload") }
        return reply.problems.count
    }

    /// Makes a call that must succeed.
    func ask(_ method: String, _ parameters: String) throws {
        if let error = try call(method, parameters, as: Anything.self).error { throw SoakError.noAnswer(error) }
    }

    private func call<Parameters: Decodable>(
        _ method: String, _ parameters: String, as type: Parameters.Type
    ) throws -> Answer<Parameters> {
        let call = Array(#"{"method":"\#(method)","parameters":\#(parameters)}"#.utf8) + [0]
        guard send(descriptor, call, call.count, Int32(MSG_NOSIGNAL)) == call.count else {
            throw SoakError.noAnswer(method)
        }
        var end = received.firstIndex(of: 0)
        while end == nil {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { throw SoakError.noAnswer(method) }
            received += buffer[..<count]
            end = received.firstIndex(of: 0)
        }
        let message = received[..<(end ?? 0)]
        received.removeFirst(message.count + 1)
        return try JSONDecoder().decode(Answer<Parameters>.self, from: Data(message))
    }
}
