public import LocationModel

/// The circumstances on which access depends at one moment, besides the client's authorization.
public struct AccessCircumstances: Hashable, Sendable {
    /// True if the requesting process is in use.
    public var isInUse: Bool
    /// The level that this kind of delivery needs: ``ClientPolicy/Level/always`` for significant changes.
    public var need: ClientPolicy.Level
    /// The limit that the user's desktop sets for its applications; `nil` for none.
    public var desktop: DesktopLimit?
    /// The highest accuracy that the recipient requests, whatever it may have.
    public var requestedAccuracy: AccuracyAuthorization
    /// The values on which rules depend; the placements are those of the location to be delivered.
    public var surroundings: Surroundings

    /// Circumstances without limits, of a recipient that is not in use. Where rules exist, unknown surroundings let all of
    /// them apply.
    public init(
        isInUse: Bool = false, need: ClientPolicy.Level = .whenInUse, desktop: DesktopLimit? = nil,
        requestedAccuracy: AccuracyAuthorization = .full, surroundings: Surroundings = .init()
    ) {
        self.isInUse = isInUse
        self.need = need
        self.desktop = desktop
        self.requestedAccuracy = requestedAccuracy
        self.surroundings = surroundings
    }
}

/// A limit that a user's desktop sets in its settings, for the programs that reach the service by the desktop's own
/// interface.
public enum DesktopLimit: Hashable, Sendable {
    /// Location services are off.
    case off
    /// Reduced accuracy at most.
    case reduced
}
