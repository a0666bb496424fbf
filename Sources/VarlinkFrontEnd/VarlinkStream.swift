import LocationCore
import LocationInterface
import LocationModel
import LocationPolicy
import Logging
import NIOCore
import Varlink

/// A stream without positions: a client's authorization, an agent's prompts, or a background activity.
final class VarlinkStream: AuthorizationObserver, PromptPresenter, ActivityObserver {
    private let call: ServerCall

    init(_ call: ServerCall) { self.call = call }

    var isReady: Bool { call.isWritable }
    func end(_ refusal: Refusal) { call.fail(VarlinkError(refusal)) }

    func tell(_ report: AuthorizationReport) {
        call.reply(AuthorizationInterface.GetStatus.Reply(report), continues: true)
    }

    func tell(isShown: Bool) {
        call.reply(AuthorizationInterface.BeginBackgroundActivity.Reply(isShown: isShown), continues: true)
    }

    func show(_ prompt: PromptReport) {
        reply(AgentInterface.Register.Reply(prompt: AgentInterface.Prompt(prompt)))
    }
    func withdraw(_ promptID: Int) { reply(AgentInterface.Register.Reply(withdrawn: promptID)) }
    func show(_ activities: [ActivityReport]) {
        reply(AgentInterface.Register.Reply(activities: activities.map(AgentInterface.Activity.init)))
    }

    private func reply(_ reply: AgentInterface.Register.Reply) { call.reply(reply, continues: true) }
}

/// The receiving end of a `Subscribe`, `Follow` or `GetLocation` call.
final class VarlinkRecipient: Subscriber {
    /// The replies that the call takes.
    enum Kind {
        case locations, frames, answer
    }

    private let call: ServerCall
    private let kind: Kind
    private let encoder: VarlinkEncoder

    init(_ call: ServerCall, kind: Kind, encoder: VarlinkEncoder) {
        self.call = call
        self.kind = kind
        self.encoder = encoder
    }

    var isReady: Bool { call.isWritable }

    func deliver(_ disclosure: Disclosure, skipped: Int?) {
        if let encoded = encoder.encode(disclosure, kind, skipped: skipped) { call.reply(encoded) }
    }

    /// Sends a diagnostic. Its members are the same in the replies of `Subscribe` and `Follow`.
    func tell(_ diagnostic: LocationDiagnostic, _ cause: Cause?, skipped: Int?) {
        call.reply(
            LocationInterface.Subscribe.Reply(
                diagnostic: diagnostic, cause: cause.map(LocationInterface.Cause.init),
                skipped: skipped),
            continues: true)
    }

    func end(_ refusal: Refusal) { call.fail(VarlinkError(refusal)) }
}

/// Encodes positions: once for all recipients of the same content, and separately only for those that missed some.
///
/// Confined to the event loop.
final class VarlinkEncoder {
    private let logger: Logger
    private var delivery: (Publication, EncodedReply)?
    private var answer: (Publication, EncodedReply)?
    private var frame: (SharedFrame, EncodedReply)?
    private var heading: (SharedHeading, EncodedReply)?

    init(logger: Logger) { self.logger = logger }

    /// The reply with a position; `nil` if it contains NaN or an infinity, which sources exclude.
    func encode(_ disclosure: Disclosure, _ kind: VarlinkRecipient.Kind, skipped: Int?) -> EncodedReply? {
        switch (disclosure.content, kind) {
        case (.location(let publication), .answer), (.reduced(let publication), .answer):
            cached(&answer, publication) { try EncodedReply(location: publication.location, continues: false) }
        case (.location(let publication), _) where skipped == nil,
            (.reduced(let publication), .locations) where skipped == nil:
            cached(&delivery, publication) { try EncodedReply(location: publication.location, continues: true) }
        case (.location(let publication), .locations), (.reduced(let publication), .locations),
            (.location(let publication), .frames):
            encode(LocationInterface.Subscribe.Reply(location: publication.location, skipped: skipped))
        case (.reduced(let publication), .frames):
            encode(
                LocationInterface.Follow.Reply(frame: TrackingFrame(reduced: publication.location), skipped: skipped))
        case (.frame(let shared), _) where skipped == nil:
            cached(&frame, shared) {
                try EncodedReply(LocationInterface.Follow.Reply(frame: shared.frame), continues: true)
            }
        case (.frame(let shared), _):
            encode(LocationInterface.Follow.Reply(frame: shared.frame, skipped: skipped))
        case (.heading(let shared), _):
            cached(&heading, shared) {
                try EncodedReply(LocationInterface.Subscribe.Reply(heading: shared.heading), continues: true)
            }
        }
    }

    private func encode(_ reply: some Encodable) -> EncodedReply? {
        encoded { try EncodedReply(reply, continues: true) }
    }

    private func cached<Shared: AnyObject>(
        _ cache: inout (Shared, EncodedReply)?, _ shared: Shared, _ encode: () throws -> EncodedReply
    ) -> EncodedReply? {
        if let cache, cache.0 === shared { return cache.1 }
        guard let new = encoded(encode) else { return nil }
        cache = (shared, new)
        return new
    }

    private func encoded(_ encode: () throws -> EncodedReply) -> EncodedReply? {
        do {
            return try encode()
        } catch {
            // JSON has no NaN and no infinity. Sources exclude both, so this is a programming error.
            logger.error("Dropped a position that cannot be encoded as JSON: \(error)")
            return nil
        }
    }
}

extension TrackingFrame {
    /// The frame for a reduced location: the area of the position, without movement.
    fileprivate init(reduced location: Location) {
        let radius = location.horizontalAccuracy ?? 0
        self.init(
            coordinate: location.coordinate, horizontalAccuracy: radius, span: 4 * radius,
            timestamp: location.timestamp)
    }
}
