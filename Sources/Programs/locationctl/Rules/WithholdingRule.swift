import CommandLineSupport
import LocationClient
import LocationInterface
import LocationServiceManagement

/// A rule that withholds the user's location from locationctl now.
///
/// A program is not told of a rule about a place, since that would reveal its border. The user's own locationctl may
/// list the user's rules, and names the one in force.
struct WithholdingRule {
    private let rule: ManagerInterface.Rule

    init(_ rule: ManagerInterface.Rule) { self.rule = rule }

    /// The first rule that withholds it; `nil` if there is none, or this program may not list the rules.
    static func find(socket: String?) async -> WithholdingRule? {
        let rules = try? await LocationServiceManager(socketPath: socket).rules(client: Diagnosis.ownIdentifier)
        return rules?.first { $0.definition.deny == true && $0.state != .doesNotApply }.map(WithholdingRule.init)
    }

    /// True for a rule of the user, and false for one of the machine or a declaration.
    private var isOwn: Bool { Int(rule.id) != nil }

    /// The rule and what it does, as a clause.
    var clause: String {
        let doubt = rule.state == .inDoubt ? "; in doubt: \(rule.doubt ?? "a condition is not known")" : ""
        return "\(isOwn ? "your rule" : "rule") \(rule.id) withholds your location from locationctl now "
            + "(\(rule.sentence.shown(limit: 1024))\(doubt))"
    }

    /// The command that ends it, or shows it where the user cannot end it.
    var remedy: String {
        isOwn
            ? "To see your rules, run: locationctl rules\nTo remove this one, run: locationctl rules remove \(rule.id)"
            : "To see it, run: locationctl rules list --client \(Diagnosis.ownIdentifier)"
    }

    /// The rule, what it does, and the commands, as sentences.
    var sentence: String {
        "\(clause.prefix(1).uppercased() + clause.dropFirst()). \(remedy.replacing("\n", with: ". "))"
    }

    /// Makes a request for the location. If there is none because of a rule, the error names it.
    static func naming<Result>(socket: String?, _ request: () async throws -> Result) async throws -> Result {
        do {
            return try await request()
        } catch let error as LocationError {
            guard case .locationUnknown = error, let rule = await find(socket: socket) else { throw error }
            throw LocationError.locationUnknown(reason: rule.sentence)
        }
    }
}

extension ServiceUpdate {
    /// A sentence about the missing or reduced location; `nil` if there is none. Where the service states no cause, as under a
    /// rule about a place, it names the user's rule or, without one, the command that finds out.
    func obstacle(socket: String?) async -> String? {
        guard locationUnavailable, cause == nil else { return sentence }
        if let rule = await WithholdingRule.find(socket: socket) { return rule.sentence }
        return "There is no location for this program now. To find out why, run: locationctl explain "
            + Diagnosis.ownIdentifier
    }
}
