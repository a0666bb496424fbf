import LocationModel
package import LocationPolicy

extension AccessRule {
    /// The values of a rule, as an interface or a command line has them; each is what its key has in a property list.
    package struct Values: Codable, Sendable {
        package var hours: String?
        package var days: [String]?
        package var inside: String?
        package var outside: String?
        package var onBattery: Bool?
        package var sessionLocked: Bool?
        package var nobodyPresent: Bool?
        package var deny: Bool?
        package var whileInUse: Bool?
        package var reducedAccuracy: Bool?
        package var minimumInterval: Int?
        package var exceptions: [String]?
        package var clients: [String]?

        package init() {}

        /// The rule as a property list has it, not validated.
        var dictionary: PropertyListValue {
            func strings(_ values: [String]?) -> PropertyListValue? { values.map { .array($0.map { .string($0) }) } }
            let when: [String: PropertyListValue?] = [
                "Hours": hours.map { .string($0) }, "Days": strings(days), "Inside": inside.map { .string($0) },
                "Outside": outside.map { .string($0) }, "OnBattery": onBattery.map { .boolean($0) },
                "SessionLocked": sessionLocked.map { .boolean($0) },
                "NobodyPresent": nobodyPresent.map { .boolean($0) },
            ]
            let conditions = when.compactMapValues(\.self)
            let entries: [String: PropertyListValue?] = [
                "When": conditions.isEmpty ? nil : .dictionary(conditions), "Deny": deny.map { .boolean($0) },
                "MaximumAuthorization": whileInUse.map { .string($0 ? "whenInUse" : "always") },
                "MaximumAccuracy": reducedAccuracy.map { .string($0 ? "reduced" : "full") },
                "MinimumInterval": minimumInterval.map { .integer($0) }, "Except": strings(exceptions),
                "Clients": strings(clients),
            ]
            return .dictionary(entries.compactMapValues(\.self))
        }
    }

    /// Reads a rule from values. A rule with problems limits at least as much as it would without them.
    package static func read(_ values: Values, id: ID) -> (rule: AccessRule, problems: [ConfigurationProblem]) {
        read(PropertyListDocument(values.dictionary), id: id)
    }

    /// The values of the rule.
    package var values: Values {
        var values = Values()
        for condition in conditions {
            switch condition {
            case .during(let weekly): (values.hours, values.days) = (weekly.hoursText, weekly.daysText)
            case .inside(let place): values.inside = place
            case .outside(let place): values.outside = place
            case .onBattery: values.onBattery = true
            case .sessionLocked: values.sessionLocked = true
            case .nobodyPresent: values.nobodyPresent = true
            }
        }
        if limit.isDenial { values.deny = true }
        if limit.maximumAuthorization == .whenInUse { values.whileInUse = true }
        if limit.maximumAccuracy == .reduced { values.reducedAccuracy = true }
        values.minimumInterval = limit.minimumInterval.map { Int($0.components.seconds) }
        switch scope {
        case .everyone(let exceptions): if !exceptions.isEmpty { values.exceptions = exceptions.sorted() }
        case .only(let clients): values.clients = clients.sorted()
        }
        return values
    }

    /// The rule as a dictionary, which the reader accepts; without its identifier.
    package var dictionary: PropertyListValue { values.dictionary }
}
