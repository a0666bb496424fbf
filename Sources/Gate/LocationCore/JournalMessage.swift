public import Logging

/// Log events with a message id: `journalctl MESSAGE_ID=…` finds them, and `journalctl --catalog` explains them
/// (`systemd/locationd.catalog`).
///
/// Their fields are the metadata of the log line: `LOCATIOND_` and the key in capitals.
public enum JournalMessage: String, CaseIterable, Sendable {
    /// The service is ready.
    case started = "312a0323da854de0b638319ab0bd5423"
    /// The service has stopped on request.
    case ended = "434b2954cb9f4f0188b529512eb529a3"
    /// The service cannot run.
    case failed = "4151dbf2303b4510b6b4bf7bc1cb7fbb"
    /// The configuration was reloaded.
    case reloaded = "3e6388c1d6d64754ac6820415db96f49"
    /// The stored decisions were damaged and have been set aside.
    case decisionsLost = "89c85cde69e442fc8cc5d73940c67b12"
    /// Part of the configuration was refused.
    case refused = "c3570c65b4294cd09805356d1a260e78"
    /// An authorization was decided: `client`, `uid`, `decision`.
    case decided = "4f850ef0a071446fbed395ebfeebf320"

    /// The metadata key of the message id.
    package static let key = "message-id"

    /// The metadata with the message id.
    public var metadata: Logger.Metadata { [Self.key: "\(rawValue)"] }

    /// The metadata for an event about a client of a user, with the decision if there is one.
    public func metadata(client: String, user: UInt32, decision: String? = nil) -> Logger.Metadata {
        var metadata = metadata.merging(Self.metadata(client: client, user: user)) { $1 }
        if let decision { metadata["decision"] = "\(decision)" }
        return metadata
    }

    /// The metadata for another log line about a client of a user.
    static func metadata(client: String, user: UInt32) -> Logger.Metadata {
        ["client": "\(client)", "uid": "\(user)"]
    }
}
