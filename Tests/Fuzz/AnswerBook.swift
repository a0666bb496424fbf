import FoundationEssentials
import NIOCore

@testable import Varlink

/// Holds the answers of one connection against its calls: each call gets one last answer, in order, and only who asked
/// for more gets more.
struct AnswerBook {
    /// One message of the server.
    private struct Reply: Decodable {
        var error: String?
        var continues: Bool?
        var parameters: JSONValue?
    }

    /// How many of the calls have had their last answer; those made with `oneway` count as soon as another is answered.
    private var answered = 0
    private var hasEnded = false
    private var rest = ByteBuffer()

    /// Takes in what the server has written. `calls` are those sent so far; `check` is shown each answer to one of them.
    mutating func note(
        _ written: ByteBuffer, calls: [CallMessage], check: (CallMessage, JSONValue?) throws -> Void = { _, _ in }
    ) throws {
        rest.writeImmutableBuffer(written)
        while let end = rest.readableBytesView.firstIndex(of: 0) {
            guard let message = rest.readSlice(length: end - rest.readerIndex) else { break }
            rest.moveReaderIndex(forwardBy: 1)
            let reply: Reply
            do {
                reply = try JSONDecoder().decode(Reply.self, from: Data(message.readableBytesView))
            } catch {
                throw Finding("the server wrote what is no reply: \(error)")
            }
            while answered < calls.count, calls[answered].isOneway { answered += 1 }
            try Finding.unless(!hasEnded, "there is an answer after the one that ended the connection")
            guard answered < calls.count else {
                // The error that ends a connection answers nothing in particular.
                try Finding.unless(reply.error != nil, "there is an answer to nothing")
                hasEnded = true
                continue
            }
            let call = calls[answered]
            if reply.continues == true {
                try Finding.unless(call.wantsMore, "\(call.method) got more than one answer without asking for more")
                try Finding.unless(reply.error == nil, "an error is not the last answer to \(call.method)")
            } else {
                answered += 1
            }
            try check(call, reply.error == nil ? reply.parameters : nil)
        }
    }

    /// The first call that has had no last answer.
    func open(of calls: [CallMessage]) -> CallMessage? {
        calls.dropFirst(answered).first { !$0.isOneway }
    }
}
