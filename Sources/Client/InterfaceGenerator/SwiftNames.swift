/// The Swift types that `LocationModel` declares in place of generated ones.
struct SwiftNames {
    /// Named types, by their names in the interface.
    var types: [String: String] = [:]
    /// Strings that are points in time, by the type or method and the field.
    var timestamps: Set<String> = []
    /// The enumerations to which no release adds a case, by their paths: those that a program sends, and those that it decides by.
    var closedEnumerations: Set<String> = []
    /// The module that declares what the generated types refer to.
    var module = "LocationModel"

    /// The names in the interfaces of the service.
    static let all = [
        "org.locationd.Location": SwiftNames(types: [
            "Location": "LocationModel.Location", "SourceInformation": "LocationModel.Location.SourceInformation",
            "Heading": "LocationModel.Heading", "Frame": "TrackingFrame",
            "Diagnostic": "LocationDiagnostic", "Reason": "LocationReason",
            "Cause": "LocationCause",
        ]),
        "org.locationd.Authorization": SwiftNames(types: [
            "Status": "AuthorizationStatus", "Accuracy": "AccuracyAuthorization", "Reason": "LocationReason",
            "Cause": "LocationCause",
        ]),
        "org.locationd.Agent": SwiftNames(types: ["Choice": "PromptChoice"], timestamps: ["Reset.time"]),
        "org.locationd.Manager": SwiftNames(
            types: ["Status": "AuthorizationStatus", "Accuracy": "AccuracyAuthorization"],
            timestamps: [
                "Client.lastAccess", "Client.until", "Client.resetAt", "Access.from", "Access.to", "ListAccess.since",
                "Rule.until", "SetAuthorization.until", "CurrentAccess.from",
            ],
            closedEnumerations: ["SetAuthorization.authorization"]),
        "org.locationd.Monitor": SwiftNames(
            types: ["Diagnostic": "LocationDiagnostic", "Reason": "LocationReason", "Cause": "LocationCause"],
            timestamps: ["Event.date", "Visit.arrival", "Visit.departure"]),
        // Of a target of its own, since it is no interface for programs: both sides are of one release.
        "org.locationd.Network": SwiftNames(closedEnumerations: ["Reason"], module: "LocationInterface"),
    ]
}
