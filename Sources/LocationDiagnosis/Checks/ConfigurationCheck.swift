/// Whether what is configured is in force, and is nobody's to change but root's.
package struct ConfigurationCheck: Check {
    /// A directory or file on the way to a configuration file.
    package struct Place: Hashable, Sendable {
        package var path: String
        package var status: FileStatus

        package init(path: String, status: FileStatus) {
            self.path = path
            self.status = status
        }
    }

    /// The service's property list.
    package var file: String
    /// What is wrong with it or with the declarations, one sentence each; hidden where it cannot be read.
    package var problems: Evidence<[String]>
    /// What the service says it refused when it last read them.
    package var refusedByService: [String] = []
    /// The files, the directories and the directories above them.
    package var places: [Place] = []
    /// Who may own them.
    package var trustedOwners: Set<UInt32> = [0]
    /// Whether the service's property list is there; without the system's everything is at its default.
    package var exists = true
    /// Where the configuration has gpsd, and where the service asks it; `nil` where one is not known.
    package var configuredAddress: String?
    package var addressInForce: String?

    package init(file: String, problems: Evidence<[String]>) {
        self.file = file
        self.problems = problems
    }

    package var findings: [Finding] { refused + writable + inForce }

    private var refused: [Finding] {
        var sentences = refusedByService
        if case .seen(let own) = problems { sentences += own.filter { !refusedByService.contains($0) } }
        let found = sentences.map { sentence in
            Finding.problem(
                .configurationRefused, "refused: \(sentence)",
                remedy: "Mend it; then, as root: locationctl config reload")
        }
        if case .hidden(let reason) = problems {
            return found + [.notLookedAt(.configurationRefused, "the configuration files", reason)]
        }
        guard found.isEmpty else { return found }
        return [
            .ok(
                .configurationRefused,
                exists
                    ? "\(file) and the declarations are in order"
                    : "the declarations are in order; there is no \(file), so every setting is at its default")
        ]
    }

    private var writable: [Finding] {
        guard !places.isEmpty else { return [] }
        let found = places.compactMap { place -> Finding? in
            let name = place.path
            guard trustedOwners.contains(place.status.owner) else {
                return .problem(
                    .configurationWritable,
                    "\(name) belongs to \(Account.userName(place.status.owner)), who can so permit everything",
                    remedy: "chown root \(name)", subject: name)
            }
            guard !place.status.isWritableByOthers else {
                return .problem(
                    .configurationWritable, "\(name) is \(place.status.words): others can so permit everything",
                    remedy: "chmod go-w \(name)", subject: name)
            }
            return nil
        }
        let who = trustedOwners == [0] ? "root" : "root and you"
        return found.isEmpty ? [.ok(.configurationWritable, "only \(who) can change the configuration")] : found
    }

    private var inForce: [Finding] {
        guard let configuredAddress, let addressInForce, configuredAddress != addressInForce else { return [] }
        return [
            .problem(
                .configurationInForce,
                "the configuration has gpsd at \(configuredAddress), and locationd asks it at \(addressInForce)",
                remedy: "GPSD is read at the start: systemctl restart locationd.service")
        ]
    }
}
