/// The Swift types that `LocationModel` declares in place of generated ones.
struct SwiftNames {
    /// Named types, by their names in the interface.
    var types: [String: String] = [:]
    /// Strings that are points in time, by the type or method and the field.
    var timestamps: Set<String> = []
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
        "org.locationd.Agent": SwiftNames(types: ["Choice": "PromptChoice"]),
        "org.locationd.Manager": SwiftNames(
            types: ["Status": "AuthorizationStatus", "Accuracy": "AccuracyAuthorization"],
            timestamps: ["Client.lastAccess", "Access.from", "Access.to", "ListAccess.since", "Rule.until"]),
        "org.locationd.Monitor": SwiftNames(
            types: ["Diagnostic": "LocationDiagnostic", "Reason": "LocationReason", "Cause": "LocationCause"],
            timestamps: ["Event.date", "Visit.arrival", "Visit.departure"]),
        // Of a target of its own, since it is no interface for programs.
        "org.locationd.Network": SwiftNames(module: "LocationInterface"),
    ]
}
