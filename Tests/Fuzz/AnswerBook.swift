import FoundationEssentials
import NIOCore

@testable import Varlink

/// Checks the answers on a connection against its calls: each call gets one last answer, in order, and only calls with
/// `more` get further ones.
struct AnswerBook {
    /// One message of the server.
    private struct Reply: Decodable {
        var error: String?
        var continues: Bool?
        var parameters: JSONValue?
    }

    /// The number of calls that have had their last answer; oneway calls count as soon as another is answered.
    private var answered = 0
    private var hasEnded = false
    private var rest = ByteBuffer()

    /// Processes the server's output. `calls` are those sent so far; `check` is called with each answer to one of them.
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
                // The error that ends a connection answers no particular call.
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

    /// The first call without a last answer.
    func open(of calls: [CallMessage]) -> CallMessage? {
        calls.dropFirst(answered).first { !$0.isOneway }
    }
}
