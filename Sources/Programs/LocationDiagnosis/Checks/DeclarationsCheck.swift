package import LocationConfiguration
package import LocationPolicy

/// Checks that each declaration can match a program, and that no two match the same one.
package struct DeclarationsCheck: Check {
    /// The declarations in force.
    package var clients: [ClientDeclaration]
    package var hiddenFiles: [Configuration.HiddenFile] = []
    /// The programs that they name, by path.
    package var programs: [String: ProgramEvidence] = [:]
    /// The system units that they name, by name.
    package var units: [String: Evidence<UnitState>] = [:]
    /// The ids in `Users` that no user has.
    package var unknownUsers: Set<UInt32> = []
    /// True for the system's service, which has the restrictions of its unit.
    package var isSandboxed = true

    package var findings: [Finding] {
        guard !clients.isEmpty || !hiddenFiles.isEmpty else {
            return .advice(
                .clientProgram, "no program is declared, so none gets a location",
                remedy: "To see how to declare one, run: locationctl help clients add")
        }
        let found = clients.flatMap { program(of: $0) + unit(of: $0) + users(of: $0) } + hidden + overlapping
        let isEveryoneMatched = !found.contains { $0.severity == .problem }
        guard isEveryoneMatched else { return found }
        let absent = clients.count { isForAnotherMachine($0) }
        let words = absent == 0 ? "each can match a program" : "\(absent) of them for programs that are not installed"
        return [.ok(.clientProgram, "\(clients.count) declared, \(words)")] + found
    }

    /// True for a package's declaration of a program that is not installed. Packages also declare programs of others.
    private func isForAnotherMachine(_ client: ClientDeclaration) -> Bool {
        guard client.file.hasPrefix("/usr/share/"), let path = client.match.executable else { return false }
        return programs[path]?.content == .absent
    }

    private func program(of client: ClientDeclaration) -> [Finding] {
        guard !isForAnotherMachine(client), let path = client.match.executable else { return [] }
        guard let trouble = programs[path]?.trouble(key: "Match.Executable in \(client.file)", isSandboxed: isSandboxed)
        else { return interpreter(of: client, path) }
        return .problem(
            .clientProgram, "\(client.identifier) matches nothing: \(path) \(trouble.found)",
            remedy: trouble.remedy, subject: client.file)
    }

    /// The finding about a declaration of nothing but an interpreter.
    private func interpreter(of client: ClientDeclaration, _ path: String) -> [Finding] {
        guard client.match.criteria.count == 1, let interpreter = Interpreter(path: path) else { return [] }
        return .advice(
            .clientProgram, "\(client.identifier) is all \(interpreter.programs): \(path) runs every one of them",
            remedy: "\(Interpreter.remedy)\nThen remove \(client.file).", subject: client.file)
    }

    private func unit(of client: ClientDeclaration) -> [Finding] {
        guard let name = client.match.systemdUnit, let evidence = units[name] else { return [] }
        switch evidence {
        case .hidden(let reason): return [.notChecked(.clientUnit, "\(name) of \(client.identifier)", reason)]
        case .seen(let unit):
            let remedy = "Correct Match.SystemdUnit in \(client.file), or remove the file."
            if unit.isMasked {
                let found = "\(client.identifier) matches nothing: \(name) is masked"
                return [.problem(.clientUnit, found, remedy: remedy, subject: client.file)]
            }
            // Scopes and transient services have no unit file, and exist only while they run.
            guard unit.loadState == "not-found", name.hasSuffix(".service") else { return [] }
            let found = "\(client.identifier) matches nothing now: there is no \(name)"
            return .advice(
                .clientUnit, found, remedy: "If systemd-run starts it, all is well. Otherwise: \(remedy)",
                subject: client.file)
        }
    }

    private func users(of client: ClientDeclaration) -> [Finding] {
        guard let users = client.match.users else { return [] }
        return users.intersection(unknownUsers).sorted().map { number in
            .advice(
                .clientUser, "\(client.identifier) is for user \(number), and there is none",
                remedy: "Correct Match.Users in \(client.file).", subject: client.file)
        }
    }

    private var hidden: [Finding] {
        hiddenFiles.map { hidden in
            .advice(
                .clientHidden,
                hidden.isMasked
                    ? "\(hidden.replacement) masks the declaration in \(hidden.file)"
                    : "\(hidden.replacement) replaces \(hidden.file)",
                remedy:
                    "If you mean to override a package's declaration, all is well; otherwise rename one of the two.",
                subject: hidden.file)
        }
    }

    /// Findings about pairs of declarations that the same process can match.
    private var overlapping: [Finding] {
        var found: [Finding] = []
        for (index, one) in clients.enumerated() {
            for other in clients[(index + 1)...] {
                switch one.match.overlap(with: other.match) {
                case .none: continue
                case .ambiguous:
                    found.append(
                        .problem(
                            .clientAmbiguous,
                            "\(one.identifier) and \(other.identifier) match the same program, so it gets no location",
                            remedy: "Add a criterion to Match in \(one.file) or \(other.file), or remove one of them.",
                            subject: one.file))
                case .narrower(let isFirst):
                    let (winner, loser) = isFirst ? (one, other) : (other, one)
                    // Units of this project's package run programs that people run, too.
                    guard !(winner.isOwn && loser.isOwn) else { continue }
                    found.append(
                        .advice(
                            .clientAmbiguous,
                            "\(winner.identifier) has the criteria of \(loser.identifier) and more: a program that matches "
                                + "both is \(winner.identifier)",
                            remedy:
                                "If you mean to single out one case, all is well; otherwise remove \(winner.file) or "
                                + "\(loser.file).", subject: winner.file))
                }
            }
        }
        return found
    }
}

extension ClientDeclaration {
    /// True for a program of this project.
    fileprivate var isOwn: Bool { identifier.hasPrefix("org.locationd.") }
}
