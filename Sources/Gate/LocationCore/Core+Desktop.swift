package import LocationPolicy

// The decisions of a desktop: its answers about programs, and the accuracy that it allows to all programs.

extension Core {
    /// The desktop's last answer about the client of a connection. The desktop has to be asked again, because its settings may
    /// have changed. `nil` if the last decision came from elsewhere, or if the desktop allows no locations at all.
    package func desktopAnswer(about connection: Connection) throws(Refusal) -> Bool? {
        let client = try directory.client(of: connection)
        guard connection.desktopLimit != .off else { return nil }
        return directory.isAnsweredByDesktop(client.key) ? client.authorization.record.grant != .denied : nil
    }

    /// Replaces the desktop's answer about the client of a connection. Calls `completion` once that is saved, or has failed.
    package func setDesktopAnswer(
        _ isAllowed: Bool, about connection: Connection, by agent: Connection, completion: @escaping () -> Void
    ) {
        queue.answer {
            do throws(Refusal) {
                let client = try directory.client(of: connection)
                try make(isAllowed ? .allow(.whenInUse) : .deny, client.key.client, nil, agent, manner: .desktop) { _ in
                    completion()
                }
            } catch {
                completion()
            }
        }
    }

    /// True if a declaration binds what a peer claims to be to the kernel's evidence about it.
    package func isClaimDeclared(of peer: PeerIdentity) -> Bool { directory.registry.bindsClaim(of: peer) }

    /// Applies the limit that the connected desktops of a user report, at once and on disk.
    package func reportDesktop(_ limit: DesktopLimit?, of userID: UInt32) {
        queue.answer {
            if desktops.report(limit, of: userID) { desktopChanged(of: userID) }
        }
    }

    /// Records that no desktop of a user is connected any more. Its limit holds until another one is reported, or the user
    /// switches location services on by command.
    package func endDesktopReports(of userID: UInt32) { desktops.endReports(of: userID) }

    /// Applies the changed limit of a desktop to the programs that it limits.
    func desktopChanged(of userID: UInt32) {
        guard let user = table.users[userID] else { return }
        user.desktopLimit = desktops[userID]
        for client in user.clients.values
        where client.connections.values.contains(where: \.frontEnd.isForApplications) {
            refresh(client)
        }
    }
}
