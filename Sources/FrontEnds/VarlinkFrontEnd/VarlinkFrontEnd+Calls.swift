import LinuxPlumbing
import PeerIdentification
import LocationConditions
import LocationCore
import LocationInterface
import LocationModel
import LocationPolicy
import NIOCore
import Varlink

extension VarlinkFrontEnd {
    /// One connection of one peer: passes its calls to the core. The server lets users take turns.
    ///
    /// `@unchecked Sendable` because everything but its constants is confined to the event loop.
    final class Session: VarlinkSession, @unchecked Sendable {
        private let frontEnd: VarlinkFrontEnd
        private let connection: Connection

        init(frontEnd: VarlinkFrontEnd, connection: Connection) {
            self.frontEnd = frontEnd
            self.connection = connection
        }

        func receive(_ call: ServerCall) {
            do {
                try answer(call, frontEnd.core)
            } catch {
                call.fail(VarlinkError(answering: error))
            }
        }

        /// True for a method of the interfaces that only declared programs may use.
        private static func requiresClient(_ method: String) -> Bool {
            [LocationInterface.name, AuthorizationInterface.name, MonitorInterface.name].contains {
                method.hasPrefix($0 + ".")
            }
        }

        func disconnected() {
            frontEnd.core.close(connection)
        }

        /// Answers a call, now or later, or throws the error that answers it.
        private func answer(_ call: ServerCall, _ core: Core) throws {
            // Before its parameters are read: a stranger's cost nothing, and are not commented on.
            if Self.requiresClient(call.method) {
                try core.requireClient(connection)
            }
            try call.requireKnownParameters()
            switch call.method {
            case LocationInterface.GetLocation.name: try getLocation(call, core)
            case LocationInterface.Subscribe.name: try subscribe(call, core)
            case LocationInterface.Follow.name: try follow(call, core)

            case AuthorizationInterface.GetStatus.name:
                try core.findStatus(of: connection) {
                    call.finish(with: $0.map(AuthorizationInterface.GetStatus.Reply.init))
                }
            case AuthorizationInterface.RequestWhenInUse.name: try request(.whenInUse, call, core)
            case AuthorizationInterface.RequestAlways.name: try request(.always, call, core)
            case AuthorizationInterface.RequestTemporaryFullAccuracy.name:
                let purpose = try call.parameters(
                    as: AuthorizationInterface.RequestTemporaryFullAccuracy.Parameters.self)
                try request(.temporaryFullAccuracy(purposeKey: purpose.purposeKey), call, core)
            case AuthorizationInterface.Watch.name: try watch(call, core)
            case AuthorizationInterface.BeginBackgroundActivity.name: try beginActivity(call, core)

            case AgentInterface.Register.name: try registerAgent(call, core)
            case AgentInterface.Answer.name: try answerPrompt(call, core)
            case AgentInterface.ListPrompts.name:
                let prompts = try core.listPrompts(connection)
                call.reply(AgentInterface.ListPrompts.Reply(prompts: prompts.map(AgentInterface.Prompt.init)))

            case ManagerInterface.GetServiceStatus.name:
                let parameters = try call.parameters(as: ManagerInterface.GetServiceStatus.Parameters.self)
                core.findStatus(for: connection) {
                    call.reply(
                        ManagerInterface.GetServiceStatus.Reply($0, satellites: parameters.satellites ?? false))
                }
            case ManagerInterface.Reload.name: try reload(call)
            case ManagerInterface.Watch.name: try watchChanges(call, core)
            case let method where method.hasPrefix(MonitorInterface.name + "."): try monitor(call, core, connection)
            default: try manage(call, core)
            }
        }
    }
}

extension VarlinkError {
    /// The error that answers a call which the protocol, the core or a condition refuses.
    fileprivate init(answering error: any Error) {
        self =
            switch error {
            case let error as VarlinkError: error
            case let refusal as Refusal: VarlinkError(refusal)
            case let error as GeographicConditionError: VarlinkError(error)
            // Calls throw nothing else.
            default: .permissionDenied
            }
    }
}

// MARK: Locations

extension VarlinkFrontEnd.Session {
    private func getLocation(_ call: ServerCall, _ core: Core) throws {
        let parameters = try call.parameters(as: LocationInterface.GetLocation.Parameters.self)
        let recipient = VarlinkRecipient(call, frontEnd.answers)
        let request = try core.getLocation(
            recipient, timeout: parameters.timeout ?? 30, desiredAccuracy: parameters.desiredAccuracy, connection)
        if let request { call.whenGone { core.close(request) } }
    }

    private func subscribe(_ call: ServerCall, _ core: Core) throws {
        try call.requireMore()
        let parameters = try call.parameters(as: LocationInterface.Subscribe.Parameters.self)
        let recipient = VarlinkRecipient(call, frontEnd.locations)
        attach(try core.subscribe(recipient, SubscriptionOptions(parameters), connection), to: call, core)
    }

    private func follow(_ call: ServerCall, _ core: Core) throws {
        try call.requireMore()
        let rate = try call.parameters(as: LocationInterface.Follow.Parameters.self).rate ?? 30
        let recipient = VarlinkRecipient(call, frontEnd.frames)
        attach(try core.follow(recipient, rate: rate, connection), to: call, core)
    }

    private func attach(_ subscription: Subscription?, to call: ServerCall, _ core: Core) {
        guard let subscription else { return }
        call.onWritable = { core.resume(subscription) }
        call.whenGone { core.close(subscription) }
    }
}

// MARK: Authorization

extension VarlinkFrontEnd.Session {
    private func request(
        _ request: ClientAuthorization.Request, _ call: ServerCall, _ core: Core
    ) throws {
        let withdraw = try core.request(
            request, connection,
            notShown: call.wantsMore
                ? { call.reply(AuthorizationInterface.GetStatus.Reply($0), continues: true) } : nil
        ) {
            call.finish(with: $0.map(AuthorizationInterface.GetStatus.Reply.init))
        }
        if let withdraw { call.whenGone(withdraw) }
    }

    private func watch(_ call: ServerCall, _ core: Core) throws {
        try call.requireMore()
        let watcher = try core.watch(VarlinkStream(call), connection)
        call.onWritable = { watcher.notify() }
        call.whenGone { core.close(watcher) }
    }

    private func beginActivity(_ call: ServerCall, _ core: Core) throws {
        try call.requireMore()
        call.whenGone(try core.beginActivity(VarlinkStream(call), connection))
    }
}

// MARK: Agents

extension VarlinkFrontEnd.Session {
    private func registerAgent(_ call: ServerCall, _ core: Core) throws {
        try call.requireMore()
        let parameters = try call.parameters(as: AgentInterface.Register.Parameters.self)
        call.whenGone(
            try core.registerAgent(
                VarlinkStream(call), parameters.isFallback ?? false ? .own : .everything, connection))
    }

    private func answerPrompt(_ call: ServerCall, _ core: Core) throws {
        let parameters = try call.parameters(as: AgentInterface.Answer.Parameters.self)
        try core.answerPrompt(parameters.id, parameters.choice, connection) { call.finish($0) }
    }
}

// MARK: Management

extension VarlinkFrontEnd.Session {
    private func reload(_ call: ServerCall) throws {
        guard Core.administersService(connection.peer.userID) else { throw Refusal.permissionDenied }
        let problems = frontEnd.core.reload()
        call.reply(ManagerInterface.Reload.Reply(problems: problems.map(ManagerInterface.ConfigurationProblem.init)))
    }

    private func manage(_ call: ServerCall, _ core: Core) throws {
        switch call.method {
        case ManagerInterface.ListClients.name:
            try listClients(call, core)
        case ManagerInterface.SetAuthorization.name:
            let parameters = try call.parameters(as: ManagerInterface.SetAuthorization.Parameters.self)
            let decision: ClientAuthorization.Decision =
                switch parameters.authorization {
                case .notDetermined: .reset
                case .denied: .deny
                case .authorizedWhenInUse: .allow(.whenInUse, until: parameters.until)
                case .authorizedAlways: .allow(.always, until: parameters.until)
                }
            // A time in the year 2262 stands for a logout.
            guard parameters.until?.isLogout != true else { throw Refusal.invalidParameter("until") }
            if parameters.untilLogout == true {
                guard case .allow(let level, nil) = decision else { throw Refusal.invalidParameter("untilLogout") }
                return try core.allowUntilLogout(level, parameters.client, parameters.userID, connection) {
                    call.finish(with: $0.map(ManagerInterface.SetAuthorization.Reply.init))
                }
            }
            if parameters.until != nil {
                guard case .allow = decision else { throw Refusal.invalidParameter("until") }
            }
            try decide(decision, parameters.client, parameters.userID, call, core)
        case ManagerInterface.SetAccuracy.name:
            let parameters = try call.parameters(as: ManagerInterface.SetAccuracy.Parameters.self)
            try decide(.accuracy(parameters.accuracy), parameters.client, parameters.userID, call, core)
        case ManagerInterface.SetEnabled.name:
            let parameters = try call.parameters(as: ManagerInterface.SetEnabled.Parameters.self)
            try core.setEnabled(
                parameters.isEnabled, forMachine: parameters.isSystem ?? false, of: parameters.userID, connection
            ) { call.finish($0) }
        case ManagerInterface.SetQuiet.name:
            let parameters = try call.parameters(as: ManagerInterface.SetQuiet.Parameters.self)
            try core.setQuiet(parameters.isQuiet, parameters.client, of: parameters.userID, connection) {
                call.finish($0)
            }
        case ManagerInterface.ListAccess.name:
            let parameters = try call.parameters(as: ManagerInterface.ListAccess.Parameters.self)
            try core.listAccess(
                of: parameters.userID, client: parameters.client, since: parameters.since,
                joining: parameters.joining,
                limit: parameters.limit ?? 100, connection
            ) {
                call.finish(
                    with: $0.map {
                        ManagerInterface.ListAccess.Reply(sessions: $0.map(ManagerInterface.Access.init))
                    })
            }
        case ManagerInterface.ListCurrentAccesses.name:
            let parameters = try call.parameters(as: ManagerInterface.ListCurrentAccesses.Parameters.self)
            let reports = try core.listCurrentAccesses(of: parameters.userID, connection)
            call.reply(
                ManagerInterface.ListCurrentAccesses.Reply(accesses: reports.map(ManagerInterface.CurrentAccess.init)))
        case ManagerInterface.Explain.name:
            let parameters = try call.parameters(as: ManagerInterface.Explain.Parameters.self)
            try core.explain(
                client: parameters.client, processID: parameters.processID, of: parameters.userID, connection,
                identify: identify
            ) { call.finish(with: $0.map(ManagerInterface.Explain.Reply.init)) }
        default: try manageRules(call, connection, core)
        }
    }

    private func watchChanges(_ call: ServerCall, _ core: Core) throws {
        try call.requireMore()
        let parameters = try call.parameters(as: ManagerInterface.Watch.Parameters.self)
        // Calls with a part that no release has are refused before.
        let parts = parameters.parts?.compactMap { ManagedPart(rawValue: $0.rawValue) } ?? ManagedPart.allCases
        let stream = try core.watchChanges(VarlinkStream(call), Set(parts), of: parameters.userID, connection)
        call.onWritable = { stream.notify() }
        call.whenGone { core.close(stream) }
    }

    private func listClients(_ call: ServerCall, _ core: Core) throws {
        let parameters = try call.parameters(as: ManagerInterface.ListClients.Parameters.self)
        var list = EncodedList("clients")
        let add = { (client: ClientReport) -> Bool in
            list.add(ManagerInterface.Client(client))
            return call.isOpen
        }
        try core.listClients(of: parameters.userID, connection, add: add) { refusal in
            if let refusal { call.fail(VarlinkError(refusal)) } else { call.reply(list) }
        }
    }

    private func decide(
        _ decision: ClientAuthorization.Decision, _ name: String, _ userID: Int?, _ call: ServerCall, _ core: Core
    ) throws {
        try core.decide(decision, name, userID, connection) {
            call.finish(with: $0.map(ManagerInterface.SetAuthorization.Reply.init))
        }
    }

    private func identify(
        _ processID: Int32, completion: @escaping ((PeerIdentity, WatchedProcess)?) -> Void
    ) {
        frontEnd.identifier.identify(processID: processID).assumeIsolated().whenComplete {
            // A process that cannot be identified is reported like one that does not exist.
            completion((try? $0.get()).flatMap { $0 })
        }
    }
}

extension ServerCall {
    /// Calls `body` when the peer is gone: at once if the previous reply has ended the connection.
    func whenGone(_ body: @escaping () -> Void) {
        if isOpen { onCancel = body } else { body() }
    }

    /// Sends the final reply, or the core's refusal.
    func finish(with result: Result<some Encodable, Refusal>) {
        switch result {
        case .success(let reply): self.reply(reply)
        case .failure(let refusal): fail(VarlinkError(refusal))
        }
    }

    /// Sends the final reply without parameters, or the core's refusal.
    func finish(_ refusal: Refusal?) {
        if let refusal { fail(VarlinkError(refusal)) } else { reply() }
    }
}

extension SubscriptionOptions {
    fileprivate init(_ parameters: LocationInterface.Subscribe.Parameters) {
        self.init()
        distanceFilter = parameters.distanceFilter ?? 0
        minimumInterval = parameters.minimumInterval ?? 0
        if parameters.maximumError != nil || parameters.maximumInterval != nil {
            thinning = Thinning(
                maximumError: parameters.maximumError, maximumInterval: parameters.maximumInterval)
        }
        desiredAccuracy = parameters.desiredAccuracy
        heading = parameters.heading ?? false
        headingFilter = parameters.headingFilter ?? 0
        headingOnly = parameters.headingOnly ?? false
        pausesAutomatically = parameters.pausesLocationUpdatesAutomatically ?? false
        significantChanges = parameters.significantChanges ?? false
    }
}
