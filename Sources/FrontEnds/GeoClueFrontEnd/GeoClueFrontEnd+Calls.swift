import LinuxPlumbing
import PeerIdentification
import LocationCore
import Pacing
import LocationPolicy
import Logging
import NIOCore

// Calls of peers, and their identification.

extension GeoClueFrontEnd {
    /// Answers a call, now or later.
    func receive(_ message: IncomingMessage) {
        guard message.isCall else { return }
        do throws(BusError) {
            let request = try Request(
                path: message.path, interface: message.interface, member: message.member,
                arguments: message.arguments())
            try answer(request, message)
        } catch {
            bus?.fail(message.pointer, error)
        }
    }

    private func answer(_ request: Request, _ message: IncomingMessage) throws(BusError) {
        let sender = message.sender
        switch request {
        case .introspect(let object):
            bus?.reply(to: message.pointer) { $0.append(.text(Introspection.text(of: object))) }
        case .getClient: try whenIdentified(message) { $0.giveClient(of: $1, isNew: false, $2) }
        case .createClient: try whenIdentified(message) { $0.giveClient(of: $1, isNew: true, $2) }
        case .deleteClient(let number):
            // As in GeoClue, no error for an object that is missing or another program's.
            if let number, let client = clients[number], client.peer.name == sender { remove(client) }
            bus?.reply(to: message.pointer)
        case .addAgent: try whenIdentified(message) { $0.addAgent($1, $2) }
        case .start(let number): try client(number, of: sender).start(message)
        case .stop(let number):
            let client = try client(number, of: sender)
            client.stop(message)
            if client.peer.isPortal { remove(client) }
        case .set(let number, let property): try client(number, of: sender).set(property, message)
        // `InUse` depends on the user of the caller.
        case .properties(.manager): try whenIdentified(message) { $0.answer(nil, of: .manager, $1.name, $2.pointer) }
        case .property(.manager, let name):
            try whenIdentified(message) { $0.answer(name, of: .manager, $1.name, $2.pointer) }
        case .properties(let object): answer(nil, of: object, sender, message.pointer)
        case .property(let object, let name): answer(name, of: object, sender, message.pointer)
        }
    }

    /// Answers a call with a property of an object, or with `nil` with all of them.
    private func answer(_ name: String?, of object: ObjectPath, _ sender: String, _ call: OpaquePointer) {
        do throws(BusError) {
            let properties = try properties(of: object, sender)
            if let name {
                guard let property = properties.first(where: { $0.name == name }) else { throw .unknownProperty(name) }
                bus?.reply(to: call) { $0.appendVariant(property.value) }
            } else {
                bus?.reply(to: call) { $0.append(properties) }
            }
        } catch {
            bus?.fail(call, error)
            return
        }
        noteRead(object)
    }

    /// A client object of the caller's.
    private func client(_ number: UInt64, of sender: String) throws(BusError) -> GeoClueClient {
        guard let client = clients[number] else { throw .unknownObject(ObjectPath.client(number).text) }
        guard client.peer.name == sender else {
            throw .accessDenied("\(ObjectPath.client(number).text) is another program's.")
        }
        return client
    }

    private func properties(of object: ObjectPath, _ sender: String) throws(BusError) -> [PropertyValue] {
        switch object {
        case .manager:
            core.refreshAvailability()
            return Properties.manager(isInUse: peers[sender]?.user?.isInUse ?? false, level: availableLevel)
        case .client(let number): return try client(number, of: sender).object.properties
        case .location(let number, let location):
            // Announced by an earlier run of the daemon, or its client object was removed. Programs take an error for 0° N 0° E.
            guard clients[number] != nil else { return Properties.location(nil) }
            guard let properties = try client(number, of: sender).properties(ofLocation: location) else {
                throw .unknownObject(object.text)
            }
            return properties
        }
    }

    private func noteRead(_ object: ObjectPath) {
        if case .location(let number, let location) = object { clients[number]?.noteRead(location) }
    }

    // MARK: Client objects

    private func giveClient(of peer: GeoCluePeer, isNew: Bool, _ call: HeldMessage) {
        guard case .known(let identity, let process, let user) = peer.identity else { return }
        if !isNew, !peer.isPortal, let own = peer.ownClient {
            bus?.reply(to: call.pointer) { $0.append(.path(ObjectPath.client(own.object.number).text)) }
            return
        }
        do throws(BusError) {
            try makeRoom(for: peer, of: user)
        } catch {
            bus?.fail(call.pointer, error)
            return
        }
        lastNumber += 1
        let client = GeoClueClient(peer, number: lastNumber, frontEnd: self, identity, process, user)
        clients[lastNumber] = client
        peer.clients[lastNumber] = client
        user.clients[lastNumber] = client
        memory.note(clients.count)
        if !isNew, !peer.isPortal { peer.ownClient = client }
        let path = ObjectPath.client(lastNumber).text
        bus?.reply(to: call.pointer) { $0.append(.path(path)) }
    }

    /// Checks the limits of client objects. Browsers with WebKitGTK create one for each visit of a page and never delete
    /// it, so at a limit the oldest one that was stopped after use is removed instead of refusing a new one.
    private func makeRoom(for peer: GeoCluePeer, of user: GeoClueUser) throws(BusError) {
        if peer.clients.count >= GeoCluePeer.mostClients {
            guard let used = peer.oldestUsed else {
                throw .limitsExceeded(
                    "A connection has at most \(GeoCluePeer.mostClients) client objects: delete others.")
            }
            remove(used)
        }
        do throws(Refusal) {
            do throws(Refusal) {
                try core.reserveConnection(of: user.id, through: .geoClue)
            } catch {
                guard let used = peer.oldestUsed else { throw error }
                remove(used)
                try core.reserveConnection(of: user.id, through: .geoClue)
            }
        } catch {
            throw BusError(error)
        }
    }

    private func remove(_ client: GeoClueClient) {
        let number = client.object.number
        clients[number] = nil
        client.peer.clients[number] = nil
        client.user.clients[number] = nil
        if client.peer.ownClient === client { client.peer.ownClient = nil }
        client.remove()
        core.releaseConnection(of: client.user.id, through: .geoClue)
        memory.scheduleIfDue(clients.count)
    }

    // MARK: Identification

    /// Performs `body` for the sender of a call once it is identified: now or later.
    private func whenIdentified(
        _ message: IncomingMessage, _ body: @escaping (GeoClueFrontEnd, GeoCluePeer, HeldMessage) -> Void
    ) throws(BusError) {
        guard !orphans.contains(message.sender) else {
            throw .accessDenied("The program that opened this connection has ended.")
        }
        let call = HeldMessage(message)
        let peer: GeoCluePeer
        if let known = peers[message.sender] { peer = known } else { peer = try watch(message.sender) }
        switch peer.identity {
        case .known: body(self, peer, call)
        case .asked(let waiting) where waiting.count < GeoCluePeer.mostWaiting:
            peer.identity = .asked(
                waiting + [.init(call: call) { [unowned self, unowned peer] in body(self, peer, call) }])
        case .asked: throw .limitsExceeded("Too many calls wait for their answer.")
        }
    }

    /// Starts to watch a new peer before its credentials are requested, so that its disconnection is not missed.
    private func watch(_ name: String) throws(BusError) -> GeoCluePeer {
        do throws(SystemdError) {
            try watchEnds()
        } catch {
            throw .failed("\(error)")
        }
        let peer = GeoCluePeer(name: name)
        peers[name] = peer
        peer.question = bus?.call(
            "GetConnectionCredentials", of: "org.freedesktop.DBus", at: "/org/freedesktop/DBus",
            of: "org.freedesktop.DBus", timeout: .seconds(10)
        ) {
            $0.append(.text(name))
        } handler: { [weak self] in
            self?.receive($0, about: name)
        }
        return peer
    }

    private func receive(_ answer: IncomingMessage, about name: String) {
        guard let peer = peers[name] else { return }
        peer.question = nil
        guard let credentials = BusCredentials(answer) else { return refuse(peer, "the bus does not say whose it is") }
        identifier.identify(credentials).assumeIsolated().whenComplete { [weak self] result in
            guard let self, peers[name] === peer else { return }
            switch result {
            case .success((let identity, let process)): admit(peer, identity, process)
            case .failure(let error): refuse(peer, "\(error)")
            }
        }
    }

    private func admit(_ peer: GeoCluePeer, _ identity: PeerIdentity, _ process: WatchedProcess) {
        guard case .asked(let waiting) = peer.identity else { return }
        let user = users[identity.userID] ?? GeoClueUser(id: identity.userID, core: core)
        users[user.id] = user
        user.peers += 1
        peer.identity = .known(identity, process, user)
        // A child that inherited the connection would go on as this program, with its authorization.
        peer.exitWatch = poller?.add(process.descriptor) { [weak self, weak peer] in
            guard let self, let peer, peers[peer.name] === peer else { return }
            orphans.insert(peer.name)
            forget(peer)
        }
        for call in waiting { call.body() }
    }

    /// Refuses the waiting calls of a peer that cannot be identified. Its next call starts again.
    private func refuse(_ peer: GeoCluePeer, _ reason: String) {
        if refusals.allows(at: .now()) {
            core.logger.notice("Refused \(peer.name) on the bus, which could not be identified: \(reason).")
        }
        if case .asked(let waiting) = peer.identity {
            for call in waiting {
                bus?.fail(call.call.pointer, .accessDenied("This program could not be identified: \(reason)."))
            }
        }
        forget(peer)
    }

    /// Removes everything of a peer: it has disconnected, its process has exited, or it was refused.
    func forget(_ peer: GeoCluePeer) {
        guard peers[peer.name] === peer else { return }
        peers[peer.name] = nil
        for client in peer.clients.values { remove(client) }
        if let agent = peer.agent { remove(agent, of: peer) }
        if let exitWatch = peer.exitWatch { poller?.remove(exitWatch) }
        if let user = peer.user {
            user.peers -= 1
            if user.peers == 0 { users[user.id] = nil }
        }
        (peer.question, peer.exitWatch, peer.identity) = (nil, nil, .asked([]))
        endWatchesIfUnused()
    }
}

extension BusCredentials {
    /// The answer of the bus to `GetConnectionCredentials`; `nil` if it does not name a user and a process.
    fileprivate init?(_ message: IncomingMessage) {
        guard message.errorName == nil else { return nil }
        var (user, process): (UInt32?, UInt32?)
        var (descriptor, label): (Int32?, String?)
        message.readEntries { name in
            switch name {
            case "UnixUserID": user = message.readVariant(of: "u") { message.readWord() }
            case "ProcessID": process = message.readVariant(of: "u") { message.readWord() }
            case "ProcessFD": descriptor = message.readVariant(of: "h") { message.readDescriptor() }
            case "LinuxSecurityLabel": label = message.readVariant(of: "ay") { message.readBytes() }
            default: return false
            }
            return true
        }
        guard let user, let process = process.flatMap(Int32.init(exactly:)), process > 0 else { return nil }
        self.init(
            userID: user, processID: process, processDescriptor: descriptor,
            securityLabel: label.flatMap(SecurityLabel.name))
    }
}
