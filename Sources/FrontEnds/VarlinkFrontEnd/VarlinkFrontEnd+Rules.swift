import LocationConfiguration
import LocationCore
import LocationInterface
import LocationModel
import LocationPolicy
import Varlink

// Rules and places in the terms of `org.locationd.Manager`.

extension VarlinkFrontEnd.Session {
    func manageRules(_ call: ServerCall, _ connection: Connection, _ core: Core) throws {
        switch call.method {
        case ManagerInterface.ListRules.name:
            let parameters = try call.parameters(as: ManagerInterface.ListRules.Parameters.self)
            let rules = try core.listRules(of: parameters.userID, client: parameters.client, connection)
            call.reply(ManagerInterface.ListRules.Reply(rules: rules.map(ManagerInterface.Rule.init)))
        case ManagerInterface.AddRule.name:
            let parameters = try call.parameters(as: ManagerInterface.AddRule.Parameters.self)
            try core.addRule(parameters.rule.values, of: parameters.userID, connection) {
                call.finish(with: $0.map { ManagerInterface.AddRule.Reply(rule: ManagerInterface.Rule($0)) })
            }
        case ManagerInterface.RemoveRule.name:
            let parameters = try call.parameters(as: ManagerInterface.RemoveRule.Parameters.self)
            try core.removeRule(parameters.id, of: parameters.userID, connection) { call.finish($0) }
        case ManagerInterface.ListPlaces.name:
            let parameters = try call.parameters(as: ManagerInterface.ListPlaces.Parameters.self)
            let places = try core.listPlaces(of: parameters.userID, connection)
            call.reply(ManagerInterface.ListPlaces.Reply(places: places.map(ManagerInterface.Place.init)))
        case ManagerInterface.AddPlace.name:
            let parameters = try call.parameters(as: ManagerInterface.AddPlace.Parameters.self)
            let place = parameters.place
            try core.addPlace(
                place.name, at: Coordinate(latitude: place.latitude, longitude: place.longitude),
                radius: place.radius, replaces: parameters.replaces ?? false, of: parameters.userID, connection
            ) { call.finish($0) }
        case ManagerInterface.RemovePlace.name:
            let parameters = try call.parameters(as: ManagerInterface.RemovePlace.Parameters.self)
            try core.removePlace(parameters.name, of: parameters.userID, connection) { call.finish($0) }
        default: throw VarlinkError.methodNotImplemented(call.method)
        }
    }
}

extension ManagerInterface.RuleDefinition {
    /// The values of its keys. The core validates them.
    fileprivate var values: AccessRule.Values {
        var values = AccessRule.Values()
        (values.hours, values.days, values.inside, values.outside) = (hours, days, inside, outside)
        (values.onBattery, values.sessionLocked, values.nobodyPresent) = (onBattery, sessionLocked, nobodyPresent)
        (values.deny, values.whileInUse, values.reducedAccuracy) = (deny, whileInUse, reducedAccuracy)
        (values.minimumInterval, values.exceptions, values.clients) = (minimumInterval, exceptions, clients)
        return values
    }

    fileprivate init(_ values: AccessRule.Values) {
        self.init(
            hours: values.hours, days: values.days, inside: values.inside, outside: values.outside,
            onBattery: values.onBattery, sessionLocked: values.sessionLocked, nobodyPresent: values.nobodyPresent,
            deny: values.deny, whileInUse: values.whileInUse, reducedAccuracy: values.reducedAccuracy,
            minimumInterval: values.minimumInterval, exceptions: values.exceptions, clients: values.clients)
    }
}

extension ManagerInterface.Rule {
    fileprivate init(_ report: RuleReport) {
        let (state, doubt): (State, String?) =
            switch report.state {
            case .applies: (.applies, nil)
            case .inDoubt(let reason): (.inDoubt, reason)
            case .doesNotApply: (.doesNotApply, nil)
            }
        self.init(
            id: "\(report.rule.id)", client: report.client, file: report.file,
            definition: ManagerInterface.RuleDefinition(report.rule.values), sentence: report.sentence, state: state,
            doubt: doubt, until: report.until)
    }
}

extension ManagerInterface.Place {
    fileprivate init(_ place: NamedPlace) {
        self.init(
            name: place.name, latitude: place.center.latitude, longitude: place.center.longitude, radius: place.radius)
    }
}
