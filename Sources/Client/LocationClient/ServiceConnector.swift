import Glibc
package import LocationInterface
import LocationModel
import Pacing
package import Varlink

/// Makes connections to the service's socket.
package struct ServiceConnector: Sendable {
    /// The path of the service's Unix socket.
    package let socketPath: String
    /// A test's answers, in place of the service's; `nil` outside of tests.
    var standIn: LocationStandIn?
    /// The longest time for an answer, and then for the answer to a probe, before the service counts as unresponsive.
    /// The service starts within some hundredths of a second.
    private let patience: Duration

    /// Selects `socketPath`, else the socket in `LOCATIOND_SOCKET`, else the system's.
    package init(socketPath: String?, patience: Duration = .seconds(5)) {
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

    /// Repeats `connect` a few times within some seconds while the kernel's queue of waiting connections is full.
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

    /// Makes one call over a connection of its own.
    ///
    /// A service that is exiting refuses the call, which is then repeated once with its successor. Repeating does no
    /// harm, because calls name the wanted state rather than a change.
    package func call<Method: InterfaceMethod>(
        _ method: Method.Type, _ parameters: Method.Parameters
    ) async throws(LocationError) -> Method.Reply {
        try await withSuccessor { try await callOnce(method, parameters) }
    }

    /// Makes one call with several replies over a connection of its own. Returns the first reply and the iterator of the others.
    ///
    /// Repeats the call once with the successor of a service that is exiting, as ``call(_:_:)`` does.
    func firstReply<Method: InterfaceMethod>(
        of method: Method.Type, _ parameters: Method.Parameters
    ) async throws(LocationError) -> (Method.Reply, VarlinkReplies<Method.Reply>.Iterator) {
        try await withSuccessor { try await firstReplyOnce(of: method, parameters) }
    }

    /// Makes a request, and once more if the service is exiting.
    private func withSuccessor<Result>(_ request: () async throws -> Result) async throws(LocationError) -> Result {
        do {
            do {
                return try await request()
            } catch let error as VarlinkError where error.isServiceStopping {
                return try await request()
            }
        } catch {
            throw await explained(error)
        }
    }

    /// The error as one of the library. The one for a method that the service lacks names the releases of both.
    func explained(_ error: any Error) async -> LocationError {
        guard let error = error as? VarlinkError, error.isOfOlderService else { return LocationError(error) }
        struct Information: Decodable, Sendable { var version: String }
        // Without the service's release the error is as true.
        guard let client = try? await connect() else { return LocationError(error) }
        let information = try? await client.call("org.varlink.service.GetInfo", returning: Information.self)
        await client.close()
        return .olderService(information?.version)
    }

    private func firstReplyOnce<Method: InterfaceMethod>(
        of method: Method.Type, _ parameters: Method.Parameters
    ) async throws -> (Method.Reply, VarlinkReplies<Method.Reply>.Iterator) {
        var replies = try await stream(method, parameters).makeAsyncIterator()
        guard let reply = try await replies.next() else {
            throw LocationError.unexpected("The location service has sent no reply.")
        }
        return (reply, replies)
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

    /// Closes a connection without an answer if the service is unresponsive: it is stuck, or systemd holds the socket
    /// and fails to start the service. An answer may take long while a prompt is open, so a second connection probes
    /// with a call that every service answers at once.
    @discardableResult
    private func watchForAnswer(on client: VarlinkClient) -> Task<Void, Never> {
        // An unstructured task, because the caller waits for the answer meanwhile. The weak reference lets the
        // connection end with the caller.
        Task { [weak client] in
            do {
                try await Task.sleep(for: patience)
                guard let client, await !client.hasAnswer else { return }
                guard try await !isResponsive() else { return }
                await client.close(.unresponsive)
            } catch {
                // Cancelled, or the service no longer accepts connections, which ends this connection as well.
            }
        }
    }

    /// Returns true if the service answers a probe in time.
    private func isResponsive() async throws -> Bool {
        let probe: VarlinkClient
        do {
            probe = try await Self.whileBusy { try await VarlinkClient.connect(to: socketPath) }
        } catch let error as VarlinkConnectionError where error.reason == .busy {
            return false
        }
        // A race of the answer and the timeout.
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

    /// Returns the replies to a call with `more`, over a connection of its own that closes with them.
    ///
    /// - Parameter keep: Decides which replies wait for a slow consumer; `nil`, the default, leaves all of them to the service.
    package func stream<Method: InterfaceMethod>(
        _ method: Method.Type, _ parameters: Method.Parameters, keep: VarlinkClient.Keep<Method.Reply>? = nil
    ) async throws(LocationError) -> VarlinkReplies<Method.Reply> {
        let client = try await connect()
        watchForAnswer(on: client)
        do {
            return try await client.stream(Method.name, parameters, of: Method.Reply.self, keep: keep)
        } catch {
            throw LocationError(error)
        }
    }
}

extension VarlinkError {
    /// True if a service that is exiting replied this instead of an answer.
    var isServiceStopping: Bool { name == LocationInterface.ServiceStopping.name }
}
