import GeoClue
import LocationPolicy
import LocationUsage
import Logging
import NIOCore

// What peers call, and who they are.

extension GeoClueDoor {
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
            // Who deletes what is not theirs, or not there, has what they want.
            if let number, let client = clients[number], client.peer.name == sender { remove(client) }
            bus?.reply(to: message.pointer)
        case .addAgent: throw .accessDenied("Only the programs that Agents names may show prompts.")
        case .start(let number): try client(number, of: sender).start(message)
        case .stop(let number):
            let client = try client(number, of: sender)
            client.stop(message)
            if client.peer.isPortal { remove(client) }
        case .set(let number, let property): try client(number, of: sender).set(property, message)
        case .properties(let object):
            let properties = try properties(of: object, sender)
            bus?.reply(to: message.pointer) { $0.append(properties) }
            noteRead(object)
        case .property(let object, let name):
            guard let property = try properties(of: object, sender).first(where: { $0.name == name }) else {
                throw .unknownProperty(name)
            }
            bus?.reply(to: message.pointer) { $0.appendVariant(property.value) }
            noteRead(object)
        }
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
        case .manager: return Properties.manager(isInUse: isInUse(by: peers[sender]?.userID), isAvailable: true)
        case .client(let number): return try client(number, of: sender).object.properties
        case .location(let number, let location):
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

    private func giveClient(of peer: GeoCluePeer, isNew: Bool, _ call: HeldCall) {
        guard case .known(let identity, let process) = peer.identity else { return }
        if !isNew, !peer.isPortal, let own = peer.ownClient {
            bus?.reply(to: call.pointer) { $0.append(.path(ObjectPath.client(own.object.number).text)) }
            return
        }
        guard peer.clients.count < GeoCluePeer.mostClients else {
            bus?.fail(
                call.pointer,
                .limitsExceeded("A connection has at most \(GeoCluePeer.mostClients) client objects: delete others."))
            return
        }
        lastNumber += 1
        let client = GeoClueClient(peer, number: lastNumber, door: self, identity, process)
        clients[lastNumber] = client
        peer.clients[lastNumber] = client
        if !isNew, !peer.isPortal { peer.ownClient = client }
        let path = ObjectPath.client(lastNumber).text
        bus?.reply(to: call.pointer) { $0.append(.path(path)) }
    }

    private func remove(_ client: GeoClueClient) {
        let number = client.object.number
        clients[number] = nil
        client.peer.clients[number] = nil
        if client.peer.ownClient === client { client.peer.ownClient = nil }
        client.remove()
    }

    /// Whether a program of a user is being given locations by this door.
    func isInUse(by userID: UInt32?) -> Bool {
        guard let userID else { return false }
        return clients.values.contains { $0.object.isActive && $0.peer.userID == userID }
    }

    /// A client object of a user has become active, or stopped being it.
    func useChanged(of userID: UInt32) {}

    // MARK: Who peers are

    /// Does something for the sender of a call once it is known who that is: now or later.
    private func whenIdentified(
        _ message: IncomingMessage, _ body: @escaping (GeoClueDoor, GeoCluePeer, HeldCall) -> Void
    ) throws(BusError) {
        let call = HeldCall(message)
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

    /// Begins to watch a peer that is not known yet, and asks who it is: in this order, so that its end is not missed.
    private func watch(_ name: String) throws(BusError) -> GeoCluePeer {
        let peer = GeoCluePeer(name: name)
        let rule =
            "type='signal',sender='org.freedesktop.DBus',path='/org/freedesktop/DBus',"
            + "interface='org.freedesktop.DBus',member='NameOwnerChanged',arg0='\(name)'"
        do throws(SystemdError) {
            peer.watch = try bus?.handleSignals(matching: rule) { [weak self] in
                if $0.isFromBus { self?.end(name) }
            }
        } catch {
            throw .failed("\(error)")
        }
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
        hub.identification.identify(credentials).assumeIsolated().whenComplete { [weak self] result in
            guard let self, peers[name] === peer else { return }
            switch result {
            case .success((let identity, let process)):
                guard case .asked(let waiting) = peer.identity else { return }
                peer.identity = .known(identity, process)
                for call in waiting { call.body() }
            case .failure(let error): refuse(peer, "\(error)")
            }
        }
    }

    /// A peer that cannot be identified is forgotten; it may try again.
    private func refuse(_ peer: GeoCluePeer, _ reason: String) {
        hub.logger.notice("Refused \(peer.name) on the bus, which could not be identified: \(reason).")
        peers[peer.name] = nil
        if case .asked(let waiting) = peer.identity {
            for call in waiting {
                bus?.fail(call.call.pointer, .accessDenied("This program could not be identified: \(reason)."))
            }
        }
        forget(peer)
    }

    /// A peer has gone.
    private func end(_ name: String) {
        if let peer = peers.removeValue(forKey: name) { forget(peer) }
    }

    /// Ends all that a peer had.
    func forget(_ peer: GeoCluePeer) {
        (peer.watch, peer.question, peer.identity) = (nil, nil, .asked([]))
        for client in peer.clients.values { remove(client) }
    }
}

extension BusCredentials {
    /// What the bus answers to `GetConnectionCredentials`; `nil` if it does not name a user and a process.
    fileprivate init?(_ message: IncomingMessage) {
        guard message.errorName == nil else { return nil }
        var (user, process): (UInt32?, UInt32?)
        var (descriptor, label): (Int32?, String?)
        message.readEntries { name in
            switch name {
            case "UnixUserID": user = message.readVariant(of: "u") { message.readWord(BusType.number) }
            case "ProcessID": process = message.readVariant(of: "u") { message.readWord(BusType.number) }
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
