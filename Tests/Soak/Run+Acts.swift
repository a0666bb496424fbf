import BenchmarkLoad
import Glibc

// The random actions of the soak.

extension Run {
    /// Performs random actions, aiming at the wanted number of connections.
    func act(wanted: Int, isOrderly: Bool) throws {
        try comeAndGo(wanted: wanted, isOrderly: isOrderly)
        if generator.happens(0.2) { try ask() }
        if generator.happens(0.05) { try make(users.randomChange(using: &generator)) }
        if generator.happens(0.15),
            let peer = peers.filter({ $0.kind == .subscriber || $0.kind == .follower })
                .randomElement(using: &generator)
        {
            peer.isReading.toggle()
            if !peer.isReading { books.pauses += 1 }
        }
        if generator.happens(0.01) { try reload() }
        if generator.happens(0.004), receiver.isUp {
            receiver.stop()
            gpsdReturns = monotonic_now() + Int64.random(in: 200_000_000...2_000_000_000, using: &generator)
        }
        if !isOrderly, generator.happens(0.03) { try vandalise() }
        if !isOrderly, generator.happens(0.01) { try storm() }
    }

    private func comeAndGo(wanted: Int, isOrderly: Bool) throws {
        // Some connect while the number falls, and some leave while it rises.
        let coming = max(0, min(12, wanted - peers.count)) + Int.random(in: 0...2, using: &generator)
        for _ in 0..<coming { try come() }
        let going = max(0, min(12, peers.count - wanted)) + Int.random(in: 0...2, using: &generator)
        guard going > 0, !peers.isEmpty else { return }
        try settle()
        for _ in 0..<going {
            guard let index = peers.indices.randomElement(using: &generator) else { return }
            // In an orderly phase, connections that have stopped reading do not leave.
            if isOrderly, !peers[index].isCaughtUp { continue }
            let peer = peers.remove(at: index)
            if peer.isCaughtUp, isOrderly || generator.happens(0.7) {
                peer.leave()
            } else {
                books.gone += 1
            }
            bury(peer)
        }
    }

    private func come() throws {
        let kind: Peer.Kind =
            switch Int.random(in: 0..<10, using: &generator) {
            case 0: .watcher
            case 1...2: .follower
            default: .subscriber
            }
        let peer = try connect(kind)
        let call =
            switch kind {
            case .follower:
                #"Location.Follow","parameters":{"rate":\#(Int.random(in: 1...10, using: &generator))},"more":true}"#
            case .watcher: #"Authorization.Watch","more":true}"#
            case .subscriber, .asker, .vandal: #"Location.Subscribe","parameters":\#(filters()),"more":true}"#
            }
        if peer.send(#"{"method":"org.locationd."# + call) { peers.append(peer) } else { bury(peer) }
    }

    private func filters() -> String {
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: #"{"distanceFilter":\#(Int.random(in: 1...200, using: &generator))}"#
        case 1: #"{"minimumInterval":\#(Int.random(in: 1...5, using: &generator))}"#
        case 2: #"{"pausesLocationUpdatesAutomatically":true}"#
        case 3: #"{"significantChanges":true}"#
        case 4: #"{"desiredAccuracy":\#(Int.random(in: 1...10, using: &generator))}"#
        default: "{}"
        }
    }

    private func ask() throws {
        let peer = try connect(.asker)
        guard peer.send(#"{"method":"org.locationd.Location.GetLocation","parameters":{"timeout":2}}"#) else {
            return bury(peer)
        }
        books.questions += 1
        peers.append(peer)
    }

    private func vandalise() throws {
        let peer = try connect(.vandal)
        let texts = [
            "\0", "[]\0", "{\"method\":5}\0", "{\"method\"", String(repeating: "[", count: 5000) + "\0",
            "{\"method\":\"org.locationd.Location.Subscribe\",\"parameters\":{\"distanceFilter\":-1},\"more\":true}\0",
        ]
        if peer.send(texts.randomElement(using: &generator) ?? "") { peers.append(peer) } else { bury(peer) }
        books.vandals += 1
    }

    /// Opens a hundred connections and closes them before they are answered.
    private func storm() throws {
        for number in 0..<100 {
            let peer = try connect(.subscriber)
            if number % 2 == 0 { _ = peer.send(#"{"method":"org.locationd.Location.Subscribe","more":true}"#) }
            books.gone += 1
            bury(peer)
        }
    }

    private func reload() throws {
        let isBroken = generator.happens(0.5)
        if isBroken {
            try place.configure(.broken(Int.random(in: 0...2, using: &generator)))
        } else {
            try place.configure(.good(promptTimeout: Int.random(in: 5...8, using: &generator)))
        }
        let refused = try manager.reload()
        books.reloads += 1
        if (refused > 0) != isBroken { books.wrongReloads += 1 }
        guard isBroken else { return }
        try place.configure(.good(promptTimeout: 5))
        if try manager.reload() > 0 { books.wrongReloads += 1 }
    }
}
