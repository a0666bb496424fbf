import ArgumentParser
import CommandLineSupport
import FoundationEssentials
import LocationClient
import LocationInterface
import LocationModel
import LocationServiceManagement

/// The common parts of the commands that decide about a client.
struct DecisionOptions: ParsableArguments {
    @OptionGroup var service: ServiceOptions
    @OptionGroup var whose: UserOptions
    @OptionGroup var output: OutputOptions

    @Argument(
        help: ArgumentHelp(
            "The client's identifier in the output of clients, or the path of a program.", valueName: "client"),
        completion: .clients)
    var client: String

    /// Makes the decision and prints the result.
    ///
    /// - Parameters:
    ///   - end: The time at which it ends; `nil` for one that lasts.
    ///   - untilLogout: True for one that ends with the user's last session.
    func decide(
        until end: Timestamp? = nil, untilLogout: Bool = false,
        _ decision: (LocationServiceManager) async throws -> ManagerInterface.SetAuthorization.Reply
    ) async throws {
        let outcome = try await decision(LocationServiceManager(socketPath: service.socket))
        try output.say(outcome) {
            [
                DecisionSentence.sentence(
                    client, outcome.status, outcome.accuracy, until: end, untilLogout: untilLogout)
            ]
                + outcome.limits.map { sentence($0) }
        }
    }

    /// Prints the limits that keep the decision from taking full effect, with their remedies.
    private func sentence(_ limit: ManagerInterface.Limit) -> String {
        let file = limit.file.map { $0.shown() } ?? "A policy"
        switch limit.reason {
        case .servicesOffForMachine:
            return
                "Your decision is saved, but location services are off for this machine. To switch them on, run: sudo "
                + "locationctl on --system"
        case .servicesOffForUser:
            let option = whose.user.map { " --user \($0.id)" } ?? ""
            return "Your decision is saved, but location services are off for \(whose.name). To switch them on, run: "
                + "\(option.isEmpty ? "" : "sudo ")locationctl on\(option)"
        case .maximumAuthorization:
            return "Your decision is saved, but \(file) allows no more than while in use (Policy.MaximumAuthorization)."
        case .maximumAccuracy:
            return
                "Your decision is saved, but \(file) allows only the approximate location (about 5 km; Policy.MaximumAccuracy)."
        case .rule:
            let sentence = limit.sentence.map { " (\($0.shown(limit: 1024)))" } ?? ""
            return
                "Your decision is saved, but rule \(limit.rule ?? "")\(sentence) limits it now. To list the rules, run: "
                + "locationctl rules list --client \(client.shown())"
        case .unknown:
            return
                "Your decision is saved, but something limits it now. To see what, run: locationctl explain "
                + client.shown()
        }
    }
}

/// The authorization of a client as text for people.
enum DecisionSentence {
    static func sentence(
        _ client: String, _ status: AuthorizationStatus, _ accuracy: AccuracyAuthorization, until end: Timestamp? = nil,
        untilLogout: Bool = false
    ) -> String {
        let how =
            switch status {
            case .authorizedWhenInUse, .authorizedAlways:
                accuracy == .full ? ", exact location" : ", approximate location (about 5 km)"
            case .notDetermined, .restricted, .denied: ""
            }
        let term = untilLogout ? ", until logout" : end.map { ", until \(Clock.near($0))" } ?? ""
        return "\(client.shown()): \(status.words)\(how)\(term)."
    }
}

struct Allow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Allow a client to use your location while it is in use.",
        discussion: """
            If a policy or a switch limits your decision, the output names it. With --for or --until the decision ends by itself, \
            also over restarts, and the one before it counts again. With --until-logout it ends with your last session.
            """)

    @OptionGroup var options: DecisionOptions

    @Flag(help: "At any time, not only while it is in use.")
    var always = false

    @OptionGroup var term: DecisionTerm

    func validate() throws {
        // In other cases, too, the path may be mistyped; but what is gone can still be denied.
        let client = options.client
        guard !client.hasPrefix("/") || client.contains("%") || FileManager.default.fileExists(atPath: client) else {
            throw ValidationError("There is no program \(client.shown()).")
        }
    }

    func run() async throws {
        let end = try term.end(after: .now())
        try await options.decide(until: end, untilLogout: term.untilLogout) { try await allow($0, until: end) }
    }

    private func allow(
        _ manager: LocationServiceManager, until end: Timestamp?
    ) async throws -> ManagerInterface.SetAuthorization.Reply {
        do {
            return try await manager.setAuthorization(
                always ? .authorizedAlways : .authorizedWhenInUse, of: options.client, until: end,
                untilLogout: term.untilLogout, user: options.whose.user?.id)
        } catch {
            guard case .invalidParameter(name: "untilLogout") = error else { throw error }
            let whose = options.whose.user == nil ? "yours" : options.whose.name
            throw LocationError.refused(
                message: "systemd-logind reports no session of \(whose) that could end. Use --for or --until.")
        }
    }
}

struct Deny: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Do not allow a client to use your location.")

    @OptionGroup var options: DecisionOptions

    func run() async throws {
        try await options.decide {
            try await $0.setAuthorization(.denied, of: options.client, user: options.whose.user?.id)
        }
        if options.client == SharingProgram.client { SharingProgram.forget(user: options.whose.user?.id) }
    }
}

struct Reset: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Remove your decisions about a client, so that it can ask again.")

    @OptionGroup var options: DecisionOptions

    func run() async throws {
        try await options.decide {
            try await $0.setAuthorization(.notDetermined, of: options.client, user: options.whose.user?.id)
        }
    }
}

struct Accuracy: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Give a client your exact location, or one that is approximate (about 5 km).")

    @OptionGroup var options: DecisionOptions

    @Argument(help: "exact or approximate; or full or reduced, as programs call them")
    var accuracy: Choice

    enum Choice: String, ExpressibleByArgument, CaseIterable {
        case exact, approximate
        case full, reduced

        var authorization: AccuracyAuthorization {
            switch self {
            case .exact, .full: .full
            case .approximate, .reduced: .reduced
            }
        }
    }

    func run() async throws {
        try await options.decide {
            try await $0.setAccuracy(accuracy.authorization, of: options.client, user: options.whose.user?.id)
        }
    }
}
