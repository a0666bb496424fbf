public import LocationInterface
public import LocationModel

extension LocationReason {
    /// Whether location services are off, for the user or for everybody.
    public var isGlobal: Bool { self == .servicesOffForUser || self == .servicesOffForMachine }
}

// What the service answers to tools.
extension LocationServiceManager {
    /// The state of the service.
    public typealias Status = ManagerInterface.GetServiceStatus.Reply
    /// A part of the configuration that was refused.
    public typealias ConfigurationProblem = ManagerInterface.ConfigurationProblem
    /// A client, and what was decided about it.
    public typealias Client = ManagerInterface.Client
    /// The authorization to decide on.
    public typealias Decision = ManagerInterface.SetAuthorization.Parameters.Authorization
    /// The result of a decision: what holds now.
    public typealias Outcome = ManagerInterface.SetAuthorization.Reply
    /// An entry of the history: a client that had the location for some time.
    public typealias Access = ManagerInterface.Access
    /// The reasons why a client may or may not have the location.
    public typealias Explanation = ManagerInterface.Explain.Reply
    /// A prompt that is open.
    public typealias Prompt = AgentInterface.Prompt
    /// The prompts and activities that an agent shows.
    public typealias AgentEvent = AgentInterface.Register.Reply
}

/// Values for ``LocationManager/desiredAccuracy``, in metres. The names are those of Core Location's
/// `kCLLocationAccuracy…` constants.
public enum LocationAccuracy {
    /// Whatever the receiver has: no location is left out.
    public static let best: Double? = nil
    /// 10 m: which side of the street.
    public static let nearestTenMeters = 10.0
    /// 100 m: which block.
    public static let hundredMeters = 100.0
    /// 1 km: which part of town.
    public static let kilometer = 1000.0
    /// 3 km: which town.
    public static let threeKilometers = 3000.0
}
