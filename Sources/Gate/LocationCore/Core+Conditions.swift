package import LocationConditions
import LocationConfiguration
import LocationPolicy
package import LocationStore

// Conditions and visits of clients.

extension Core {
    /// Begins to watch a condition for a client; calls `completion` once it is on disk.
    package func addCondition(
        _ name: ConditionName, _ condition: GeographicCondition, assuming state: ConditionState,
        _ connection: Connection, completion: @escaping (Refusal?) -> Void
    ) throws(Refusal) {
        try queue.answer { () throws(Refusal) in
            try Self.check(name.monitor, "monitor")
            try Self.check(name.identifier, "identifier")
            let client = try watchingClient(of: connection)
            let limits = configuration.daemon.limits
            try publisher.conditions.add(
                name, condition, assuming: state, of: client,
                limits: (client: limits.conditionsPerClient, all: limits.conditions)
            ) { completion($0.map { .watchNotSaved($0) }) }
        }
    }

    /// Stops watching a condition; calls `completion` once it is deleted on disk.
    package func removeCondition(
        _ name: ConditionName, _ connection: Connection, completion: @escaping (Refusal?) -> Void
    ) throws(Refusal) {
        try queue.answer { () throws(Refusal) in
            publisher.conditions.remove(name, of: try watchingClient(of: connection)) {
                completion($0.map { .watchNotSaved($0) })
            }
        }
    }

    /// A condition of a client with its last state; `nil` if there is none of this name.
    package func condition(
        _ name: ConditionName, _ connection: Connection
    ) throws(Refusal) -> (GeographicCondition, ConditionReport)? {
        try queue.answer { () throws(Refusal) in
            return publisher.conditions.condition(name, of: try watchingClient(of: connection).key)
        }
    }

    /// The last states of the conditions of a client's monitor, by identifier.
    package func conditions(of monitor: String, _ connection: Connection) throws(Refusal) -> [ConditionReport] {
        try queue.answer { () throws(Refusal) in
            return publisher.conditions.reports(of: monitor, of: try watchingClient(of: connection).key)
        }
    }

    /// Streams the changes of a monitor's conditions. The front end closes the stream when the peer is gone.
    package func watchConditions(
        of monitor: String, _ observer: any WatchObserver, _ connection: Connection
    ) throws(Refusal) -> WatchStream {
        try queue.answer { () throws(Refusal) in
            try Self.check(monitor, "monitor")
            return try open(.conditions(monitor: monitor), observer, connection)
        }
    }

    /// Begins to watch visits for a client, and streams them. The front end closes the stream when the peer is gone.
    package func watchVisits(_ observer: any WatchObserver, _ connection: Connection) throws(Refusal) -> WatchStream {
        try queue.answer { () throws(Refusal) in
            let stream = try open(.visits, observer, connection)
            if let client = connection.client {
                publisher.conditions.watchVisits(of: client) { error in
                    if let error { observer.end(.watchNotSaved(error)) }
                }
            }
            return stream
        }
    }

    /// Stops watching visits for a client; calls `completion` once they are deleted on disk.
    package func stopVisits(_ connection: Connection, completion: @escaping (Refusal?) -> Void) throws(Refusal) {
        try queue.answer { () throws(Refusal) in
            publisher.conditions.stopVisits(of: try watchingClient(of: connection)) {
                completion($0.map { .watchNotSaved($0) })
            }
        }
    }

    /// Closes a stream whose peer is gone.
    package func close(_ stream: WatchStream) { queue.take { [self] in remove(stream) } }

    func remove(_ stream: WatchStream) {
        guard stream.connection.watchStreams.removeValue(forKey: stream.id) != nil else { return }
        stream.connection.user.subscriptions -= 1
        if let client = stream.connection.client { publisher.conditions.close(stream, of: client) }
    }

    /// Sends waiting events to a stream whose peer reads again.
    package func resume(_ stream: WatchStream) {
        queue.answer {
            if let client = stream.connection.client { publisher.conditions.resume(stream, of: client) }
        }
    }

    private func open(
        _ subject: WatchStream.Subject, _ observer: any WatchObserver, _ connection: Connection
    ) throws(Refusal) -> WatchStream {
        let client = try watchingClient(of: connection)
        let limits = configuration.daemon.limits
        guard connection.user.subscriptions < limits.subscriptionsPerUser else {
            throw .limitExceeded("SubscriptionsPerUser", limits.subscriptionsPerUser)
        }
        let stream = try publisher.conditions.open(
            subject, observer, on: connection, of: client, limit: limits.monitorStreamsPerClient)
        connection.user.subscriptions += 1
        connection.watchStreams[stream.id] = stream
        launcher.programConnected(client)
        publisher.conditions.resume(stream, of: client)
        return stream
    }

    private func watchingClient(of connection: Connection) throws(Refusal) -> Client {
        let client = try directory.client(of: connection)
        use.noteCall(of: connection)
        return client
    }

    /// A name that a program chooses: 1 to 255 bytes without control characters.
    private static func check(_ name: String, _ parameter: String) throws(Refusal) {
        guard (1...255).contains(name.utf8.count),
            name.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else { throw .invalidParameter(parameter) }
    }

    /// Finds the clients with something watched that are declared and not known in memory: at the start, and when the
    /// declarations have changed.
    func attachWatchingClients() {
        for key in publisher.conditions.detached {
            guard let declaration = directory.registry.declarations[key.client],
                declaration.match.users?.contains(key.userID) ?? true
            else { continue }
            publisher.conditions.attach(directory.client(declaration, of: table.user(key.userID)))
        }
    }
}
