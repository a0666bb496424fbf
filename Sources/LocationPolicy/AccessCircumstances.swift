public import LocationModel

/// The circumstances on which access depends at one moment, besides the client's authorization.
public struct AccessCircumstances: Hashable, Sendable {
    /// True if the requesting process is in use.
    public var isInUse: Bool
    /// The level that this kind of delivery needs: ``ClientPolicy/Level/always`` for significant changes.
    public var need: ClientPolicy.Level
    /// The limit that the user's desktop sets for its applications; `nil` for none.
    public var desktop: DesktopLimit?
    /// The highest accuracy that the recipient asks for, whatever it may have.
    public var requestedAccuracy: AccuracyAuthorization

    /// Circumstances without limits, of a recipient that is not in use.
    public init(
        isInUse: Bool = false, need: ClientPolicy.Level = .whenInUse, desktop: DesktopLimit? = nil,
        requestedAccuracy: AccuracyAuthorization = .full
    ) {
        self.isInUse = isInUse
        self.need = need
        self.desktop = desktop
        self.requestedAccuracy = requestedAccuracy
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
