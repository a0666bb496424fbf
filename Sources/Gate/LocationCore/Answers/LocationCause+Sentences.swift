import LocationModel
import LocationPolicy
import LocationSources

// The causes of missing and of reduced locations, as sentences with the remedy. Diagnostics, refusals, `GetStatus` and
// `explain` share them.

extension LocationCause {
    /// The reason why an evaluation withholds locations or their accuracy; `nil` if it withholds nothing, and while the
    /// use of the process is not known yet.
    ///
    /// - Parameter process: the client's process, whose use is watched if access depends on it.
    init?(_ evaluation: AccessEvaluation, of declaration: ClientDeclaration, in process: PeerProcess) {
        switch evaluation.access {
        case .permitted where evaluation.view.isReducedByPlace: self.init(reduced: evaluation.accuracyRule, declaration)
        // At a place where locations are withheld, the cause is the same as elsewhere: the client would learn when the user comes and
        // goes. A program that has asked for approximate locations itself gets no cause.
        case .permitted:
            guard evaluation.authorization.accuracy == .reduced else { return nil }
            self.init(reduced: evaluation.visibleAccuracyRule, declaration)
        case .undecided, .refused: self.init(refused: evaluation, declaration)
        case .suspended:
            guard let obstacle = process.obstacle else { return nil }
            self.init(obstacle, declaration, isUnconfirmed: evaluation.useRule == .unconfirmed)
        }
    }

    private init?(refused evaluation: AccessEvaluation, _ declaration: ClientDeclaration) {
        let name = declaration.displayName
        if evaluation.useRule == .needsAlways {
            self.init(
                .needsAlways,
                message:
                    "\(name) may use your location only while it is in use, but this request requires permission at any "
                    + "time. \(declaration.waysToAlways)")
            return
        }
        switch evaluation.statusRule {
        case .restriction:
            self.init(
                .restricted,
                message: "\(declaration.authority) does not allow \(name) to use your location (Policy.Restricted)."
            )
        case .servicesOffForMachine:
            self.init(
                .servicesOffForMachine,
                message:
                    "Location services are off for this machine. To switch them on, run: sudo locationctl on --system")
        case .servicesOffForUser:
            self.init(
                .servicesOffForUser,
                message: "Location services are off for you. To switch them on, run: locationctl on")
        case .servicesOffOnDesktop:
            self.init(
                .servicesOffOnDesktop,
                message:
                    "Location services are off in the settings of the desktop. To switch them on where no desktop is "
                    + "running, run: locationctl on")
        case .rule(let rule):
            self.init(
                .deniedByRule,
                message:
                    "\(rule.id.subject(declaration)) does not allow \(name) to use your location now. \(rule.id.remedy)"
            )
        case .decision:
            self.init(
                .deniedByUser,
                message:
                    "You do not allow \(name) to use your location. To allow it, run: \(declaration.allowing)")
        case .undecided:
            self.init(
                .undecided,
                message:
                    "You have not decided yet whether \(name) may use your location. To allow it, run: \(declaration.allowing)"
            )
        case .allowedOnce, .preset: return nil
        }
    }

    private init?(reduced rule: AccessEvaluation.AccuracyRule, _ declaration: ClientDeclaration) {
        let (name, identifier) = (declaration.displayName, declaration.identifier)
        let reason: LocationReason
        switch rule {
        case .maximum:
            self.init(
                .reducedByPolicy,
                message: "\(declaration.authority) allows \(name) only your approximate location (about 5 km; "
                    + "Policy.MaximumAccuracy).")
            return
        case .rule(let rule):
            self.init(
                .reducedByRule,
                message:
                    "\(rule.id.subject(declaration)) allows \(name) only your approximate location (about 5 km) now. "
                    + rule.id.remedy)
            return
        case .desktop:
            self.init(
                .reducedByDesktop,
                message: "The settings of the desktop allow \(name) only your approximate location (about 5 km).")
            return
        case .decision: reason = .reducedByUser
        case .reducedByDefault: reason = .reducedByDefault
        case .temporaryFullAccuracy, .standard: return nil
        }
        self.init(
            reason,
            message:
                "\(name) receives only your approximate location (about 5 km). To allow the exact one, run: locationctl "
                + "accuracy \(identifier) full")
    }

    private init(_ obstacle: UseObstacle, _ declaration: ClientDeclaration, isUnconfirmed: Bool) {
        let evidence = obstacle.sentence(declaration.displayName)
        let consequence =
            isUnconfirmed
            ? "In the background it may use your location only after you have confirmed that. "
            : "It may use your location only while it is in use. "
        self.init(
            isUnconfirmed ? .unconfirmed : LocationReason(obstacle),
            message: "\(evidence) \(obstacle == .noLogind ? "" : consequence)\(declaration.waysToAlways)")
    }

    /// The reason why temporary full accuracy has no effect.
    init(fullAccuracyEndedBy obstacle: UseObstacle, _ declaration: ClientDeclaration) {
        self.init(
            LocationReason(obstacle),
            message:
                "\(obstacle.sentence(declaration.displayName)) The exact location for a time is only for a program in use. To allow "
                + "it, run: locationctl accuracy \(declaration.identifier) full")
    }

    /// The reason why the prompt about a client is not shown.
    init(noAgentFor declaration: ClientDeclaration) {
        self.init(
            .noAgent,
            message:
                "The prompt about \(declaration.displayName) cannot be shown, because no agent is running. To show prompts in a "
                + "terminal, run: locationctl agent; or to allow it, run: \(declaration.allowing)")
    }

    /// The reason why there are no headings.
    ///
    /// - Parameter problem: that of the machine's own compass, as a sentence; `nil` if it has not reported one.
    init(noHeadingBecause problem: String?) {
        self.init(.noCompass, message: problem ?? "Neither a receiver nor this machine has a compass.")
    }

    /// The reason why the source has no location.
    ///
    /// - Parameter problem: the source's last failure, as a sentence.
    init(_ reason: UnavailableReason, problem: String?) {
        let message =
            switch reason {
            case .noSource:
                "This machine has no source of locations. To see which ones there are and what each needs, run: locationctl sources"
            case .notLocated: problem ?? "Wi-Fi positioning has no location yet."
            case .notConnected: "\(problem ?? "gpsd cannot be reached.") To find out why, run: locationctl doctor"
            case .noReceiver:
                "There is no receiver, and no other source has a location. To find out why, run: locationctl doctor"
            case .noFix: "The receiver has no fix; it needs a clear view of the sky."
            case .starting: "The receiver is starting."
            case .silent: "The receiver has stopped reporting. To find out why, run: locationctl doctor"
            }
        self.init(LocationReason(reason), message: message)
    }
}

extension LocationReason {
    /// The reason for programs that an obstacle to their use is.
    fileprivate init(_ obstacle: UseObstacle) { self.init(rawValue: obstacle.rawValue) }

    /// The reason for programs that the source has no location.
    fileprivate init(_ reason: UnavailableReason) {
        self =
            switch reason {
            case .noSource: .noSource
            case .notConnected, .notLocated: .sourceUnreachable
            case .noReceiver: .noReceiver
            // A receiver that is starting has no fix.
            case .noFix, .starting: .noFix
            case .silent: .receiverSilent
            }
    }
}

extension AccessRule.ID {
    /// The rule, as the subject of a sentence.
    fileprivate func subject(_ declaration: ClientDeclaration) -> String {
        switch origin {
        case .client: "Rule \(number) in \(declaration.file) (Policy.Rules)"
        case .machine: "Rule \(number) of this machine (DefaultPolicy.Rules)"
        case .user: "Your rule \(number)"
        }
    }

    /// A sentence with the user's remedy.
    fileprivate var remedy: String {
        origin == .user
            ? "To remove it, run: locationctl rules remove \(number)" : "To read it, run: locationctl rules list"
    }
}

extension ClientDeclaration {
    /// The source of its policy, for messages: its file, if it has one.
    fileprivate var authority: String { file.isEmpty ? "A policy" : file }

    /// The command that allows the client. One that is a unit is never in use, so that *while in use* would send it nothing.
    fileprivate var allowing: String {
        let isUnit = match.systemdUnit != nil || match.userUnit != nil
        let option = isUnit && policy.maximumAuthorization == .always ? "--always " : ""
        return "locationctl allow \(option)\(identifier)"
    }

    /// The command that allows the client at any time, or the policy that rules it out.
    fileprivate var waysToAlways: String {
        policy.maximumAuthorization == .always
            ? "To allow it at any time, run: locationctl allow --always \(identifier)"
            : "\(authority) allows no more than that (Policy.MaximumAuthorization)."
    }
}

extension UseObstacle {
    /// A sentence about the obstacle to the use of the program with this name, with the remedy if there is one.
    func sentence(_ name: String) -> String {
        switch self {
        case .noLogind:
            "Whether \(name) is in use cannot be determined, because systemd-logind is not running: it has to be allowed "
                + "at any time."
        case .noSession:
            "\(name) is not in use: it runs outside of any login session, such as in a service, in a container or "
                + "under cron."
        case .sessionNotOfPerson:
            "\(name) is not in use: its session is a login screen or for background jobs."
        case .sessionClosing:
            "\(name) is not in use: its session has ended. Log in and start it again."
        case .sessionLocked:
            "\(name) is not in use: the screen of its session is locked. Unlock it."
        case .sessionNotActive:
            "\(name) is not in use: another session is shown on its seat. Switch back to its own."
        case .noDesktop:
            "\(name) is not in use: it has no terminal, and no graphical session of its user is there to show it."
        case .backgroundJob:
            "\(name) is not in use: it is a background job of its terminal, or the terminal was closed. Bring it to the "
                + "foreground (fg)."
        }
    }
}
