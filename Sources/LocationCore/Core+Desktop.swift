package import LocationPolicy

// What a desktop decides: its own answers about programs, and the accuracy that it allows to all of them.

extension Core {
    /// The desktop's answer about the client of a connection; `nil` if the last decision about it came from elsewhere. The
    /// desktop is then asked again, because its settings may have changed.
    package func desktopAnswer(about connection: Connection) throws(Refusal) -> Bool? {
        let client = try directory.client(of: connection)
        return directory.isAnsweredByDesktop(client.key) ? client.authorization.record.grant != .denied : nil
    }

    /// Replaces the desktop's answer about the client of a connection. Calls `completion` once that is saved, or has failed.
    package func setDesktopAnswer(
        _ isAllowed: Bool, about connection: Connection, by agent: Connection, completion: @escaping () -> Void
    ) {
        do throws(Refusal) {
            let client = try directory.client(of: connection)
            try decide(isAllowed ? .allow(.whenInUse) : .deny, client.key.client, nil, agent, manner: .desktop) { _ in
                completion()
            }
        } catch {
            completion()
        }
    }

    /// True if a declaration binds what a peer claims to be to the kernel's evidence about it.
    package func isClaimDeclared(of peer: PeerIdentity) -> Bool { directory.registry.bindsClaim(of: peer) }

    /// Releases a position again to a subscription whose peer reads it late, if the peer may have it now and it is fresh.
    package func disclosure(_ content: Disclosure.Content, to subscription: Subscription) -> Disclosure? {
        // A connection that belongs to no client any more, or to another one, was declared anew.
        guard subscription.connection.client === subscription.client else { return nil }
        return Gate.pass(content, to: subscription, isFresh: publisher.isFresh(content, for: subscription.client))
    }
}
