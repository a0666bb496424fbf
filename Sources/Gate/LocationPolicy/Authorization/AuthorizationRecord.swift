public import LocationModel

/// The key of an authorization: one client of one user.
public struct ClientKey: Hashable, Sendable {
    /// The user id.
    public var userID: UInt32
    /// The client's identifier.
    public var client: String

    /// The client `client` of the user `userID`.
    public init(userID: UInt32, client: String) {
        self.userID = userID
        self.client = client
    }
}

/// The decisions about one client of one user, as stored on disk.
public struct AuthorizationRecord: Hashable, Sendable {
    /// A lasting decision. *Allow once* is not among them, because it ends with the client or the service.
    public enum Grant: String, Hashable, Sendable, CaseIterable {
        /// Don't allow.
        case denied
        /// Allow while using.
        case whenInUse
        /// The user allowed *while using* when the client asked for *always*: the client sees *always*, and the user is
        /// asked again before the first delivery in the background.
        case provisionalAlways
        /// Allow always.
        case always
    }

    /// The end of a decision to allow.
    public struct Ending: Hashable, Sendable {
        /// The time at which the decision ends, or ``LocationModel/Timestamp/logout(session:)``.
        public var time: Timestamp
        /// The decision that counts again then; `nil` for none.
        public var next: Grant?

        /// A decision that ends at `time`, before which `next` counted.
        public init(time: Timestamp, next: Grant?) { (self.time, self.next) = (time, next) }
    }

    /// The decision; `nil` before the first.
    public var grant: Grant?
    /// The end of `grant`; `nil` for a decision that lasts.
    public var ending: Ending?
    /// True once the user has answered a prompt that offered *always* (``Prompt/Kind/upgrade`` or
    /// ``Prompt/Kind/confirmAlways``). *Always* is not offered again.
    public var hasUsedUpgradePrompt = false
    /// The user's decision about accuracy; `nil` before the first.
    public var accuracy: AccuracyAuthorization?

    /// A record without decisions.
    public init() {}

    /// This record at a time: after the end of its decision, the one before it counts.
    public func current(at time: Timestamp) -> AuthorizationRecord {
        guard let ending, ending.time.isLogout ? ending.time == time : !time.isLogout && ending.time <= time else {
            return self
        }
        var record = self
        (record.grant, record.ending) = (ending.next, nil)
        return record
    }

    /// The parts that restrict the client: a denial, also one that counts again at the end of a decision, and reduced accuracy.
    public var restrictions: AuthorizationRecord {
        var restrictions = AuthorizationRecord()
        restrictions.grant = grant == .denied || ending?.next == .denied ? .denied : nil
        restrictions.accuracy = accuracy == .reduced ? .reduced : nil
        return restrictions
    }

    /// This record with the restrictions of another one.
    public func restricted(by other: AuthorizationRecord) -> AuthorizationRecord {
        var record = self
        if let denial = other.restrictions.grant { (record.grant, record.ending) = (denial, nil) }
        record.accuracy = other.restrictions.accuracy ?? accuracy
        return record
    }
}

/// The origin of a decision: the user, the manner and the time.
public struct DecisionOrigin: Hashable, Sendable {
    /// The manner of a decision.
    public enum Manner: String, Hashable, Sendable, CaseIterable {
        /// The user answered a prompt.
        case prompt
        /// The user answered their desktop's own dialog, which keeps answers of its own and is asked again.
        case desktop
        /// The user or root gave a command.
        case command
        /// The end of a permission until a time, without a new decision.
        case end
        /// The loss of the decisions to damage, for which services were switched off.
        case damage
        /// The reset of *while using* of a program that was not given a location for a long time.
        case unusedWhenInUse
        /// The reset of a provisional *always* of such a program.
        case unusedProvisionalAlways
        /// The reset of *always* of such a program.
        case unusedAlways

        /// The reset of this grant of a program that was not given a location for a long time; `nil` for a denial.
        public init?(resetOf grant: Grant) {
            switch grant {
            case .denied: return nil
            case .whenInUse: self = .unusedWhenInUse
            case .provisionalAlways: self = .unusedProvisionalAlways
            case .always: self = .unusedAlways
            }
        }

        /// The level that a reset for lack of use took away; `nil` for any other manner. Of a provisional *always*, which the user
        /// has not confirmed, it is *while using*.
        public var resetLevel: ClientPolicy.Level? {
            switch self {
            case .unusedWhenInUse, .unusedProvisionalAlways: .whenInUse
            case .unusedAlways: .always
            case .prompt, .desktop, .command, .end, .damage: nil
            }
        }

        /// The grant of a record.
        public typealias Grant = AuthorizationRecord.Grant
    }

    /// The user who decided; 0 for an administrator who decided for another user.
    public var userID: UInt32
    /// The manner of the decision.
    public var manner: Manner
    /// The time of the decision.
    public var timestamp: Timestamp

    /// A decision of `userID`.
    public init(userID: UInt32, manner: Manner, timestamp: Timestamp) {
        self.userID = userID
        self.manner = manner
        self.timestamp = timestamp
    }
}

extension Timestamp {
    /// The first of the times that stand for a logout: those of the last seconds that a timestamp can have, in the year 2262.
    private static let firstLogout = Int64.max - Int64(UInt32.max)

    /// Stands for the logout of a user: the end of the user's last session, or of this run of the machine.
    ///
    /// - Parameter session: The number of a session that the user has at the decision. A service that starts later cannot know of
    ///   logouts in between, so the decision has ended unless this session still exists.
    public static func logout(session: UInt32) -> Timestamp {
        Timestamp(nanosecondsSince1970: firstLogout + Int64(session))
    }

    /// True if it stands for a logout.
    public var isLogout: Bool { nanosecondsSince1970 >= Self.firstLogout }
}
