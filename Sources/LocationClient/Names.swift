public import LocationInterface

/// Why there are no locations now, or no exact ones.
public typealias LocationDiagnostic = LocationInterface.Diagnostic

/// The cause of a diagnostic or of an error: a reason that programs can tell apart, and a sentence for people.
public typealias LocationCause = LocationInterface.Cause

/// Why a program receives no locations now, or no exact ones.
public typealias LocationReason = LocationInterface.Reason

extension LocationReason {
    /// Whether location services are off, for the user or for everybody.
    public var isGlobal: Bool { self == .servicesOffForUser || self == .servicesOffForMachine }
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
