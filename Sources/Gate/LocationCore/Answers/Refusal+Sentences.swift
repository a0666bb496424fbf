import LocationModel
import LocationPolicy
import TextSupport

// Errors for callers: the mistake, its place, and the remedy.

extension Refusal {
    /// No declaration matches `peer`. The message says what to add to which file.
    static func notDeclared(_ peer: PeerIdentity, directories: [String]) -> Refusal {
        if let replaced = peer.replacedExecutable { return .notDeclared(peer, message: startAgain(replaced)) }
        let directory = directories.last ?? "a directory that ClientDirectories names"
        let option = directory == "/etc/locationd/clients.d" ? "" : " --directory \(directory)"
        func command(_ criterion: String) -> String {
            "sudo locationctl clients add \(criterion)\(option) --when-in-use 'Why it uses your location.'"
        }
        if let executable = peer.recognisedExecutable, let interpreter = Interpreter(path: executable) {
            let reason =
                "No client declaration matches this program. \(executable) runs it, and all other \(interpreter.programs). "
            guard let unit = ownUnit(of: peer) else { return .notDeclared(peer, message: reason + Interpreter.remedy) }
            return .notDeclared(
                peer,
                message: reason + "If nothing else runs in its unit, declare that. To do so, run: \(command(unit))")
        }
        if let executable = peer.recognisedExecutable, executable.isPlain(beside: "/._+-") {
            let message =
                "No client declaration matches this program. To declare it, run: \(command("--executable \(executable)"))"
            return .notDeclared(peer, message: message)
        }
        let criterion: String =
            if let executable = peer.recognisedExecutable {
                "Executable \(executable)"
            } else if let unit = peer.systemdUnit {
                "SystemdUnit \(unit)"
            } else if let unverified = peer.unverifiedExecutable {
                "SystemdUnit or UserUnit (the program of process \(peer.processID) \(unverified.reason))"
            } else {
                "Executable or SystemdUnit (process \(peer.processID) runs a program that could not be identified)"
            }
        let message =
            "No client declaration matches this program. Add a property list such as "
            + "\(directory)/org.example.Name.plist with CFBundleIdentifier, NSLocationWhenInUseUsageDescription and, "
            + "under Match, \(criterion). Then run: sudo locationctl config reload"
        return .notDeclared(peer, message: message)
    }

    /// The message for a program whose file was replaced at this path: no declaration would help it.
    static func startAgain(_ path: String) -> String {
        "\(path) was replaced while this program was running, as by an upgrade, so the program can no longer be recognised. "
            + "Start it again."
    }

    /// The option that declares the unit of a process; `nil` unless it is in a service that somebody has named. In a session
    /// and in a scope there are other programs, and systemd-run gives each run a name of its own.
    private static func ownUnit(of peer: PeerIdentity) -> String? {
        guard peer.session == nil else { return nil }
        let (option, unit) = peer.userUnit.map { ("--user-unit", $0) } ?? ("--system-unit", peer.systemdUnit ?? "")
        guard unit.hasSuffix(".service"), !unit.hasPrefix("run-") else { return nil }
        return "\(option) " + (unit.isPlain(beside: ":-_.@") ? unit : "'\(unit)'")
    }

    /// Several declarations match `peer` equally well. The message names their files.
    static func ambiguous(_ peer: PeerIdentity, _ declarations: [ClientDeclaration]) -> Refusal {
        let files = declarations.map(\.file).joined(separator: " and ")
        let message =
            "More than one client declaration matches this program equally well: \(files). Add a criterion under "
            + "Match to one of them, or remove one. Then run: sudo locationctl config reload"
        return .notDeclared(peer, message: message)
    }

    /// A client has no access. The message names the decision and the remedy.
    static func notAuthorized(
        _ declaration: ClientDeclaration, _ evaluation: AccessEvaluation, _ process: PeerProcess
    ) -> Refusal {
        let cause = LocationCause(evaluation, of: declaration, in: process)
        return .notAuthorized(
            client: declaration.identifier, evaluation.authorization.status, cause?.reason,
            message: cause?.message ?? "\(declaration.displayName) is not allowed to use your location now.")
    }

    /// A program belongs to another client than when it connected.
    static func redeclared(_ declaration: ClientDeclaration, _ status: AuthorizationStatus) -> Refusal {
        let message =
            "\(declaration.file) declares this program now, as \(declaration.identifier). Connect again to be that client."
        return .notAuthorized(client: declaration.identifier, status, nil, message: message)
    }

    /// A client asked, but the user was not asked or did not answer within `promptTimeout` seconds.
    static func failure(
        _ failure: ClientAuthorization.Failure, _ client: Client, promptTimeout seconds: Int
    ) -> Refusal {
        let name = client.declaration.displayName
        switch failure {
        case .missingUsageDescription(let key):
            let message =
                "\(name) cannot ask for your location: \(client.declaration.file) does not give its reason. "
                + "Add \(key) there. Then run: sudo locationctl config reload"
            return .missingUsageDescription(key: key, file: client.declaration.file, message: message)
        case .unanswered where client.asking.lastPromptWasShown:
            return .notAnswered(
                seconds: seconds,
                message: "You did not answer the prompt about \(name) within \(seconds) s.")
        case .unanswered:
            let message =
                "The prompt about \(name) could not be shown within \(seconds) s, because no agent is running. To show prompts in a "
                + "terminal, run: locationctl agent; or to allow it, run: locationctl allow \(client.key.client)"
            return .noAgent(seconds: seconds, message: message)
        case .tooManyPrompts:
            let message = "\(name) has asked too often; it may ask again in a minute."
            return .tooManyPrompts(message: message)
        case .tooManyUndeclared:
            let message =
                "You were asked too often about programs that nobody has declared, so no prompt about \(name) is shown now. It may "
                + "ask again in a minute; or to allow it, run: locationctl allow \(client.key.client)"
            return .tooManyPrompts(message: message)
        case .noRoomForPrompt:
            let message =
                "\(PromptDispatcher.promptsPerUser) prompts about other programs are open, so none can be shown about \(name) now. To "
                + "list them, run: locationctl agent prompts"
            return .tooManyPrompts(message: message)
        }
    }

    /// No client has this identifier. Suggests one with a similar identifier or the same last part.
    static func noSuchClient(_ name: String, among identifiers: some Collection<String>) -> Refusal {
        // The last parts of identifiers, as people call programs.
        let byName = Dictionary(grouping: identifiers) { identifier in
            identifier.split { $0 == "." || $0 == "/" }.last.map { $0.lowercased() } ?? ""
        }
        return .noSuchClient(
            name,
            suggestion: byName[name.lowercased()]?.min() ?? identifiers.suggestion(for: name)
                ?? byName.keys.suggestion(for: name).flatMap { byName[$0]?.min() })
    }

    /// A decision could not be saved. The message says whether it is in force.
    static func notSaved(_ unsaved: Unsaved) -> Refusal {
        let message =
            unsaved.isInForce
            ? "This holds only until locationd restarts, because it could not be saved: \(unsaved.reason)"
            : "Nothing has changed, because this could not be saved: \(unsaved.reason)"
        return .notSaved(isInForce: unsaved.isInForce, message: message)
    }

    /// A change of what a client has watched could not be saved.
    static func watchNotSaved(_ error: any Error) -> Refusal {
        .watchNotSaved(message: "Nothing has changed, because this could not be saved: \(error)")
    }

    /// The state on disk could not be read.
    static func unreadable(_ error: any Error) -> Refusal {
        .notReadable(message: "The decisions and history could not be read: \(error)")
    }
}

extension String {
    /// True if a shell takes the text as one word without quotes: letters and digits of ASCII, and these marks.
    fileprivate func isPlain(beside marks: String) -> Bool {
        allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) || marks.contains($0) }
    }
}
