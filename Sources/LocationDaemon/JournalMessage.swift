public import Logging

/// The events that have an identifier in the journal: `journalctl MESSAGE_ID=…` finds them, and `journalctl --catalog`
/// shows what to do about them (`systemd/locationd.catalog`).
///
/// Their fields are the metadata of the log line: `LOCATIOND_` and the key in capitals.
public enum JournalMessage: String, CaseIterable, Sendable {
    /// The service takes connections.
    case started = "312a0323da854de0b638319ab0bd5423"
    /// The service has ended as it was told.
    case ended = "434b2954cb9f4f0188b529512eb529a3"
    /// The service cannot run.
    case failed = "4151dbf2303b4510b6b4bf7bc1cb7fbb"
    /// The configuration has been read again.
    case reloaded = "3e6388c1d6d64754ac6820415db96f49"
    /// The kept decisions were damaged and have been set aside.
    case decisionsLost = "89c85cde69e442fc8cc5d73940c67b12"
    /// Part of the configuration was refused.
    case refused = "c3570c65b4294cd09805356d1a260e78"
    /// Who may know was decided: `client`, `uid`, `decision`.
    case decided = "4f850ef0a071446fbed395ebfeebf320"

    /// The key of the metadata that holds the identifier.
    static let key = "message-id"

    /// The metadata of the log line that tells of it.
    public var metadata: Logger.Metadata { [Self.key: "\(rawValue)"] }

    /// The metadata of a log line about a client of a user; what was decided, if something was.
    public func metadata(client: String, user: UInt32, decision: String? = nil) -> Logger.Metadata {
        var metadata = metadata.merging(Self.metadata(client: client, user: user)) { $1 }
        if let decision { metadata["decision"] = "\(decision)" }
        return metadata
    }

    /// The metadata of any other log line about a client of a user.
    static func metadata(client: String, user: UInt32) -> Logger.Metadata {
        ["client": "\(client)", "uid": "\(user)"]
    }
}
