import Glibc
import LocationInterface
import LocationModel
import Pacing
import Varlink

/// Knows where the service listens and makes connections to it.
struct ServiceConnector: Sendable {
    /// The Unix socket of the service.
    let socketPath: String
    /// How long an answer, and then the answer to a probe, may take before the service counts as unresponsive. Starting takes
    /// some hundredths of a second.
    private let patience: Duration

    /// The socket at `socketPath`, else the one that `$LOCATIOND_SOCKET` names, else the system's.
    init(socketPath: String?, patience: Duration = .seconds(5)) {
        self.patience = patience
        let fromEnvironment = getenv("LOCATIOND_SOCKET").flatMap { String(validatingCString: $0) } ?? ""
        self.socketPath = socketPath ?? (fromEnvironment.isEmpty ? "/run/locationd/org.locationd" : fromEnvironment)
    }

    func connect() async throws(LocationError) -> VarlinkClient {
        do {
            return try await Self.whileBusy { try await VarlinkClient.connect(to: socketPath) }
        } catch {
            throw LocationError(error)
        }
    }

    /// Tries again, a few times within some seconds, where more connections are waiting than the kernel's queue holds: a
    /// crowd has come at once.
    static func whileBusy<Result>(_ connect: () async throws -> Result) async throws -> Result {
        var backOff = BackOff.connecting
        for _ in 0..<5 {
            do {
                return try await connect()
            } catch let error as VarlinkConnectionError where error.reason == .busy {
                try await backOff.sleep()
            }
        }
        return try await connect()
    }

    /// One call over a connection of its own.
    ///
    /// A service that is ending says so instead of answering. The call is made once more, to whoever listens then: calls
    /// say what is wanted, so that none does harm twice.
    func call<Method: InterfaceMethod>(
        _ method: Method.Type, _ parameters: Method.Parameters
    ) async throws(LocationError) -> Method.Reply {
        do {
            return try await callOnce(method, parameters)
        } catch let error as VarlinkError where error.isServiceStopping {
            do {
                return try await callOnce(method, parameters)
            } catch {
                throw LocationError(error)
            }
        } catch {
            throw LocationError(error)
        }
    }

    private func callOnce<Method: InterfaceMethod>(
        _ method: Method.Type, _ parameters: Method.Parameters
    ) async throws -> Method.Reply {
        let client = try await connect()
        let watch = watchForAnswer(on: client)
        defer { watch.cancel() }
        let result: Result<Method.Reply, any Error>
        do {
            result = .success(try await client.call(Method.name, parameters, returning: Method.Reply.self))
        } catch {
            result = .failure(error)
        }
        await client.close()
        return try result.get()
    }

    /// Closes a connection on which no answer comes, if the service answers nobody: it is stuck, or systemd holds the socket
    /// and starts the service in vain. An answer may well take long where the user is asked first; so another connection asks
    /// for what every service answers at once.
    @discardableResult
    private func watchForAnswer(on client: VarlinkClient) -> Task<Void, Never> {
        // A task of its own: the caller waits for the answer meanwhile. It keeps the connection no longer than the caller does.
        Task { [weak client] in
            do {
                try await Task.sleep(for: patience)
                guard let client, await !client.hasAnswer else { return }
                guard try await !isResponsive() else { return }
                await client.close(.unresponsive)
            } catch {
                // Cancelled, or the service does not accept connections any more, which ends this one, too.
            }
        }
    }

    /// Whether the service answers a question about itself in time.
    private func isResponsive() async throws -> Bool {
        let probe: VarlinkClient
        do {
            probe = try await Self.whileBusy { try await VarlinkClient.connect(to: socketPath) }
        } catch let error as VarlinkConnectionError where error.reason == .busy {
            return false
        }
        // The answer and the end of the time race.
        return try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                _ = try await probe.call("org.varlink.service.GetInfo")
                return true
            }
            group.addTask {
                try await Task.sleep(for: patience)
                return false
            }
            defer { group.cancelAll() }
            return try await group.next() ?? false
        }
    }

    /// The answers to a call with `more`, over a connection of its own that ends with them.
    func stream<Method: InterfaceMethod>(
        _ method: Method.Type, _ parameters: Method.Parameters
    ) async throws(LocationError) -> VarlinkReplies<Method.Reply> {
        let client = try await connect()
        watchForAnswer(on: client)
        do {
            return try await client.stream(Method.name, parameters, of: Method.Reply.self)
        } catch {
            throw LocationError(error)
        }
    }
}

extension VarlinkError {
    /// Whether this is what a service that is ending says instead of an answer.
    var isServiceStopping: Bool { name == LocationInterface.ServiceStopping.name }
}
