/// The reason why a subscription receives no locations, or reduced ones. It stays open and resumes by itself.
///
/// The names are those of Core Location's `CLLocationUpdate`.
public enum LocationDiagnostic: OpenEnumeration {
    /// The user is being asked; the answer follows.
    case authorizationRequestInProgress
    /// The user does not allow it, location services are off, or the user has not decided and is not being asked.
    case authorizationDenied
    /// A policy forbids it and the user cannot change that.
    case authorizationRestricted
    /// The client is not in use, and is authorized only while it is.
    case insufficientlyInUse
    /// The client is authorized for reduced accuracy only.
    case accuracyLimited
    /// The user stays in one place, and the subscription pauses meanwhile.
    case stationary
    /// There is no fix: gpsd or a receiver is missing, or the receiver has no fix or is silent.
    case locationUnavailable
    /// A case of a later release, by its name in the interface.
    case unknown(String)

    /// The cases of this release.
    public static let allCases: [Self] = [
        .authorizationRequestInProgress, .authorizationDenied, .authorizationRestricted, .insufficientlyInUse,
        .accuracyLimited, .stationary, .locationUnavailable,
    ]

    /// The name in the interface.
    public var rawValue: String {
        switch self {
        case .authorizationRequestInProgress: "authorizationRequestInProgress"
        case .authorizationDenied: "authorizationDenied"
        case .authorizationRestricted: "authorizationRestricted"
        case .insufficientlyInUse: "insufficientlyInUse"
        case .accuracyLimited: "accuracyLimited"
        case .stationary: "stationary"
        case .locationUnavailable: "locationUnavailable"
        case .unknown(let name): name
        }
    }
}

/// The cause of a diagnostic or a refusal: a reason for programs, and a sentence for people.
public struct LocationCause: Codable, Hashable, Sendable {
    /// The reason, for programs.
    public var reason: LocationReason
    /// A sentence for people with the reason and the remedy.
    public var message: String

    /// A cause with this reason and sentence.
    public init(_ reason: LocationReason, message: String) {
        self.reason = reason
        self.message = message
    }
}

/// The reason why a client receives no locations now, or reduced ones.
public enum LocationReason: OpenEnumeration {
    /// Location services are off for everybody.
    case servicesOffForMachine
    /// Location services are off for the user.
    case servicesOffForUser
    /// Location services are off in the settings of the user's desktop.
    case servicesOffOnDesktop
    /// A policy of the machine forbids it.
    case restricted
    /// A rule of the user or of the machine forbids it at this time, or in these circumstances.
    case deniedByRule
    /// The user does not allow it.
    case deniedByUser
    /// The user has not decided yet.
    case undecided
    /// The prompt is open, and no agent is running that could show it.
    case noAgent
    /// The request needs *always*, and the client is authorized only while it is in use.
    case needsAlways
    /// The client is in the background, and the user has not confirmed *always* yet.
    case unconfirmed

    /// Use cannot be determined, because systemd-logind cannot be asked.
    case noLogind
    /// The client runs outside of any login session, such as in a service.
    case noSession
    /// Its session is a login screen, or for background jobs.
    case sessionNotOfPerson
    /// Its session has ended.
    case sessionClosing
    /// The screen of its session is locked.
    case sessionLocked
    /// Another session is shown on its seat.
    case sessionNotActive
    /// It is an application without a terminal, and its user has no graphical session that could show it.
    case noDesktop
    /// It is a background job of its terminal, or the terminal was closed.
    case backgroundJob

    /// Accuracy is reduced by the user's decision.
    case reducedByUser
    /// Accuracy is reduced by a policy of the machine.
    case reducedByPolicy
    /// Accuracy is reduced by a rule of the user or of the machine.
    case reducedByRule
    /// Accuracy is reduced by default, as the client's declaration says.
    case reducedByDefault
    /// The settings of the user's desktop allow reduced accuracy at most.
    case reducedByDesktop

    /// No source of locations is configured.
    case noSource
    /// gpsd or the modem cannot be reached, or Wi-Fi positioning, as the only source, has no location.
    case sourceUnreachable
    /// gpsd has no active receiver.
    case noReceiver
    /// The receiver has no fix.
    case noFix
    /// gpsd or its receiver reports nothing new.
    case receiverSilent
    /// Headings are requested, and no compass gives any.
    case noCompass
    /// A case of a later release, by its name in the interface.
    case unknown(String)

    /// The cases of this release.
    public static let allCases: [Self] = [
        .servicesOffForMachine, .servicesOffForUser, .servicesOffOnDesktop, .restricted, .deniedByRule, .deniedByUser,
        .undecided, .noAgent, .needsAlways, .unconfirmed, .noLogind, .noSession, .sessionNotOfPerson, .sessionClosing,
        .sessionLocked, .sessionNotActive, .noDesktop, .backgroundJob, .reducedByUser, .reducedByPolicy, .reducedByRule,
        .reducedByDefault, .reducedByDesktop, .noSource, .sourceUnreachable, .noReceiver, .noFix, .receiverSilent,
        .noCompass,
    ]

    /// The name in the interface.
    public var rawValue: String {
        switch self {
        case .servicesOffForMachine: "servicesOffForMachine"
        case .servicesOffForUser: "servicesOffForUser"
        case .servicesOffOnDesktop: "servicesOffOnDesktop"
        case .restricted: "restricted"
        case .deniedByRule: "deniedByRule"
        case .deniedByUser: "deniedByUser"
        case .undecided: "undecided"
        case .noAgent: "noAgent"
        case .needsAlways: "needsAlways"
        case .unconfirmed: "unconfirmed"
        case .noLogind: "noLogind"
        case .noSession: "noSession"
        case .sessionNotOfPerson: "sessionNotOfPerson"
        case .sessionClosing: "sessionClosing"
        case .sessionLocked: "sessionLocked"
        case .sessionNotActive: "sessionNotActive"
        case .noDesktop: "noDesktop"
        case .backgroundJob: "backgroundJob"
        case .reducedByUser: "reducedByUser"
        case .reducedByPolicy: "reducedByPolicy"
        case .reducedByRule: "reducedByRule"
        case .reducedByDefault: "reducedByDefault"
        case .reducedByDesktop: "reducedByDesktop"
        case .noSource: "noSource"
        case .sourceUnreachable: "sourceUnreachable"
        case .noReceiver: "noReceiver"
        case .noFix: "noFix"
        case .receiverSilent: "receiverSilent"
        case .noCompass: "noCompass"
        case .unknown(let name): name
        }
    }
}
