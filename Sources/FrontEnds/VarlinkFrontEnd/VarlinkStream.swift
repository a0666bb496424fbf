import LocationCore
import LocationInterface
import LocationModel
import Logging
import Varlink

/// A stream without positions: a client's authorization, an agent's prompts, a background activity, or what changes for a manager.
final class VarlinkStream: AuthorizationObserver, PromptPresenter, ActivityObserver, ManagementObserver {
    private let call: ServerCall

    init(_ call: ServerCall) { self.call = call }

    var isReady: Bool { call.isWritable }
    func end(_ refusal: Refusal) { call.fail(VarlinkError(refusal)) }

    func send(_ report: AuthorizationReport) {
        call.reply(AuthorizationInterface.GetStatus.Reply(report), continues: true)
    }

    func send(isShown: Bool) {
        call.reply(AuthorizationInterface.BeginBackgroundActivity.Reply(isShown: isShown), continues: true)
    }

    func show(_ prompt: PromptReport) {
        reply(AgentInterface.Register.Reply(prompt: AgentInterface.Prompt(prompt)))
    }
    func withdraw(_ promptID: Int) { reply(AgentInterface.Register.Reply(withdrawn: promptID)) }
    func show(_ activities: [ActivityReport]) {
        reply(AgentInterface.Register.Reply(activities: activities.map(AgentInterface.Activity.init)))
    }
    func show(_ resets: [ResetReport]) {
        reply(AgentInterface.Register.Reply(resets: resets.map(AgentInterface.Reset.init)))
    }
    func start(unit: String) { reply(AgentInterface.Register.Reply(start: unit)) }

    func send(changed: [ManagedPart]) {
        let parts = changed.map { ManagerInterface.Part(rawValue: $0.rawValue) }
        call.reply(ManagerInterface.Watch.Reply(changed: parts), continues: true)
    }

    private func reply(_ reply: AgentInterface.Register.Reply) { call.reply(reply, continues: true) }
}

/// The receiving end of a `Subscribe`, `Follow` or `GetLocation` call.
///
/// A structure of three words, which a subscription holds in place.
struct VarlinkRecipient: Subscriber {
    private let writer: ReplyWriter
    private let encoder: VarlinkEncoder

    init(_ call: ServerCall, _ encoder: VarlinkEncoder) { (writer, self.encoder) = (call.writer, encoder) }

    var isReady: Bool { writer.isWritable }

    func deliver(_ disclosure: Disclosure, skipped: Int?) {
        if let encoded = encoder.encode(disclosure.content, skipped: skipped) { writer.reply(encoded) }
    }

    /// Sends a diagnostic. Its members are the same in the replies of `Subscribe` and `Follow`.
    func send(_ diagnostic: LocationDiagnostic, _ cause: LocationCause?, skipped: Int?) {
        writer.reply(
            LocationInterface.Subscribe.Reply(
                diagnostic: diagnostic, cause: cause,
                skipped: skipped))
    }

    func end(_ refusal: Refusal) { writer.fail(VarlinkError(refusal)) }
}

/// Encodes positions as replies to one method: once for all recipients of the same content, and separately only for those
/// that missed some.
///
/// Confined to the event loop.
final class VarlinkEncoder {
    /// The form of the method's replies.
    enum Replies {
        case locations, frames
        /// One location, and no more.
        case answer
    }

    private let replies: Replies
    private let logger: Logger
    /// The newest content and its reply.
    private var newest: (content: AnyObject, reply: EncodedReply)?

    init(_ replies: Replies, logger: Logger) { (self.replies, self.logger) = (replies, logger) }

    /// The reply with a position; `nil` if it contains NaN or an infinity, which sources exclude.
    func encode(_ content: Disclosure.Content, skipped: Int?) -> EncodedReply? {
        if skipped == nil, let newest, newest.content === content.shared { return newest.reply }
        do {
            let reply = try reply(content, skipped)
            if skipped == nil { newest = (content.shared, reply) }
            return reply
        } catch {
            // JSON has no NaN and no infinity. Sources exclude both, so this is a programming error.
            logger.error("Dropped a position that cannot be encoded as JSON: \(error)")
            return nil
        }
    }

    private func reply(_ content: Disclosure.Content, _ skipped: Int?) throws -> EncodedReply {
        typealias Frame = LocationInterface.Follow.Reply
        typealias Location = LocationInterface.Subscribe.Reply
        let continues = replies != .answer
        switch content {
        case .reduced(let publication) where replies == .frames:
            return try EncodedReply(
                Frame(frame: TrackingFrame(reduced: publication.location), skipped: skipped), continues: continues)
        case .location(let publication), .reduced(let publication):
            guard let skipped else { return try EncodedReply(location: publication.location, continues: continues) }
            return try EncodedReply(Location(location: publication.location, skipped: skipped), continues: continues)
        case .frame(let shared):
            return try EncodedReply(Frame(frame: shared.frame, skipped: skipped), continues: continues)
        case .heading(let shared): return try EncodedReply(Location(heading: shared.heading), continues: continues)
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
