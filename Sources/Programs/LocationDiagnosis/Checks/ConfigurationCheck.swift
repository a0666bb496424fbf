/// Checks that the configuration is valid and in force, and that only root can change it.
package struct ConfigurationCheck: Check {
    /// A configuration file or directory, or a directory above it.
    package struct Place: Hashable, Sendable {
        package var path: String
        package var status: FileStatus
    }

    /// The service's property list.
    package var file: String
    /// The problems of the list and of the declarations, one sentence each.
    package var problems: Evidence<[String]>
    /// The drop-ins that this user may not read.
    package var unreadable: [String] = []
    /// The problems that the service reported when it last read them.
    package var refusedByService: [String] = []
    /// True if the service answers.
    package var isServiceAnswering = true
    /// The files, the directories and the directories above them.
    package var places: [Place] = []
    /// The users that may own them.
    package var trustedOwners: Set<UInt32> = [0]
    /// True if the service's property list exists. Without it the system's service uses the defaults.
    package var exists = true
    /// The configured address of gpsd; `nil` if it is not known.
    package var configuredAddress: String?
    /// The address of gpsd that the service uses; `nil` if it is unknown.
    package var addressInForce: String?

    package init(file: String, problems: Evidence<[String]>) {
        self.file = file
        self.problems = problems
    }

    package var findings: [Finding] {
        refused + unreadable.map { .notChecked(.configurationRefused, $0, "needs root") } + writable + inForce
    }

    private var refused: [Finding] {
        var sentences = refusedByService
        if case .seen(let own) = problems { sentences += own.filter { !refusedByService.contains($0) } }
        let found = sentences.map { sentence in
            Finding.problem(
                .configurationRefused, "refused: \(sentence)",
                remedy: "Correct it. Then run: "
                    + (isServiceAnswering ? "sudo locationctl config reload" : ServiceExit.restart))
        }
        if case .hidden(let reason) = problems {
            return found + [.notChecked(.configurationRefused, "the configuration files", reason)]
        }
        guard found.isEmpty else { return found }
        return .ok(
            .configurationRefused,
            exists
                ? "\(file) and the declarations have no problems"
                : "the declarations have no problems; there is no \(file), so every setting has its default")
    }

    private var writable: [Finding] {
        guard !places.isEmpty else { return [] }
        let found = places.compactMap { place -> Finding? in
            let name = place.path
            guard trustedOwners.contains(place.status.owner) else {
                return .problem(
                    .configurationWritable,
                    "\(name) belongs to \(Account.userName(place.status.owner)), who could allow any program through it",
                    remedy: "To fix it, run: sudo chown root \(name)", subject: name)
            }
            guard !place.status.isWritableByOthers else {
                return .problem(
                    .configurationWritable,
                    "\(name) is \(place.status.words): others could allow any program through it",
                    remedy: "To fix it, run: sudo chmod go-w \(name)", subject: name)
            }
            return nil
        }
        let who = trustedOwners == [0] ? "root" : "root and you"
        return found.isEmpty ? [.ok(.configurationWritable, "only \(who) can change the configuration")] : found
    }

    private var inForce: [Finding] {
        guard let configuredAddress, let addressInForce, configuredAddress != addressInForce else { return [] }
        return .problem(
            .configurationInForce,
            "gpsd is configured at \(configuredAddress), but locationd asks it at \(addressInForce)",
            remedy:
                "To fix it, run: sudo locationctl config reload\nIf that does not help, the unit passes --gpsd or --replay. To see "
                + "it, run: systemctl cat locationd.service")
    }
}
