import NIOCore
import Testing

@testable import Varlink

@Suite(.timeLimit(.minutes(10))) struct ConnectionStateMachineTests {
    private let a = #"{"method":"t.A"}"#
    private let b = #"{"method":"t.B"}"#
    private let stream = #"{"method":"t.S","more":true}"#
    private let oneway = #"{"method":"t.O","oneway":true}"#
    private let error = VarlinkError(name: "t.Error")

    private func accepting() -> ConnectionStateMachine {
        var limits = ServerLimits()
        limits.messageSize = 64
        return ConnectionStateMachine(limits: limits)
    }

    private func idle() -> ConnectionStateMachine {
        var machine = accepting()
        machine.accepted()
        return machine
    }

    private func answering(_ message: String) throws -> ConnectionStateMachine {
        var machine = idle()
        machine.receive(message)
        #expect(try machine.nextInTurn() == dispatch(message))
        return machine
    }

    private func dispatch(_ message: String) throws -> ConnectionStateMachine.Action {
        .dispatch(try CallMessage(ByteBuffer(string: message)))
    }

    // MARK: Calls

    @Test("waits for input at first")
    func waitsAtFirst() {
        var m = idle()
        #expect(m.next() == .wait)
        #expect(m.wantsRead)
    }

    @Test("processes nothing out of turn")
    func processesNothingOutOfTurn() throws {
        var m = idle()
        m.receive("{")
        #expect(m.next() == .queue)
        #expect(m.next() == .wait)
        m.takeTurn()
        let wrong = VarlinkError.invalidParameter("message")
        #expect(m.next() == .finish(.init(lastWord: .error(wrong), reason: CallMessage.reason(wrong))))
    }

    @Test("dispatches calls in order, one in each turn")
    func dispatchesInOrderOnePerTurn() throws {
        var m = try answering(a)
        m.receive(b, a)
        #expect(m.next() == .wait)
        #expect(m.answered(continues: false) == .write)
        #expect(try m.nextInTurn() == dispatch(b))
        #expect(m.answered(continues: false) == .write)
        #expect(try m.nextInTurn() == dispatch(a))
    }

    @Test("a stream occupies the connection")
    func streamKeepsTheConnection() throws {
        var m = try answering(stream)
        m.receive(b)
        #expect(m.answered(continues: true) == .write)
        #expect(m.next() == .wait)
        #expect(m.answered(continues: false) == .write)
        #expect(try m.nextInTurn() == dispatch(b))
    }

    @Test("a stream requires more")
    func streamNeedsMore() throws {
        var m = try answering(a)
        #expect(m.answered(continues: true) == .expectedMore)
        #expect(m.answered(continues: false) == .discard)
    }

    @Test("a oneway call is not answered")
    func onewayIsNotAnswered() throws {
        var m = try answering(oneway)
        #expect(m.answered(continues: false) == .discard)
        #expect(m.next() == .wait)
    }

    // MARK: Reading

    @Test("reads one message ahead and no more")
    func readsOneMessageAhead() throws {
        var m = idle()
        m.receive(a)
        #expect(m.wantsRead, "nothing is behind it")
        m.receive(b)
        #expect(!m.wantsRead)
        #expect(try m.nextInTurn() == dispatch(a))
        #expect(!m.wantsRead)
        #expect(m.answered(continues: false) == .write)
        #expect(m.wantsRead, "nothing is behind it")
        #expect(try m.nextInTurn() == dispatch(b))
        #expect(m.wantsRead)
        m.received(ByteBuffer(string: "{"))
        #expect(m.wantsRead, "it is not a message yet")
    }

    @Test("dispatches nothing while the peer does not read")
    func dispatchesNothingWhilePeerDoesNotRead() throws {
        var m = idle()
        m.isWritable = false
        m.receive(a)
        #expect(m.next() == .wait)
        #expect(!m.wantsRead)
        m.isWritable = true
        #expect(try m.nextInTurn() == dispatch(a))
        #expect(m.wantsRead)
    }

    @Test("counts the memory of unanswered messages")
    func countsMemoryOfUnansweredMessages() throws {
        var m = idle()
        m.receive(a, b)
        #expect(m.heldBytes == a.utf8.count + b.utf8.count + 1)
        #expect(try m.nextInTurn() == dispatch(a))
        #expect(m.heldBytes == "t.A".utf8.count + b.utf8.count)
        #expect(m.answered(continues: false) == .write)
        #expect(m.heldBytes == b.utf8.count)
        m.closed()
        #expect(m.heldBytes == 0)
    }

    // MARK: Endings

    @Test("a message above the limit ends the connection in its turn")
    func messageAboveLimitEndsConnectionInTurn() throws {
        var m = try answering(a)
        m.receive(b, String(repeating: " ", count: 65))
        #expect(m.answered(continues: false) == .write)
        #expect(try m.nextInTurn() == dispatch(b))
        #expect(m.answered(continues: false) == .write)
        let ending = ConnectionStateMachine.Ending(
            lastWord: .fault(.messageTooLong(limit: 64)), reason: "it sent a message that is too long")
        #expect(m.nextInTurn() == .finish(ending))
        m.receive(a)
        #expect(m.next() == .wait)
        #expect(m.wantsRead, "so that the peer can finish writing")
        #expect(m.heldBytes == 0)
    }

    @Test("answers after the end of the peer's input")
    func answersAfterEndOfInput() throws {
        var m = try answering(a)
        m.receive(b)
        m.inputClosed()
        #expect(m.next() == .wait)
        #expect(m.answered(continues: false) == .write)
        #expect(try m.nextInTurn() == dispatch(b))
        #expect(m.answered(continues: false) == .write)
        #expect(m.next() == .finish(.init()))
    }

    @Test("an incomplete message ends the connection")
    func incompleteMessageEndsConnection() {
        var m = idle()
        m.received(ByteBuffer(string: "{"))
        m.inputClosed()
        #expect(m.nextInTurn() == .finish(.init(reason: "it stopped in the middle of a message")))
    }

    @Test("processes messages of a peer that has gone")
    func messagesOfDepartedPeerAreProcessed() throws {
        var m = idle()
        m.isWritable = false
        m.receive(oneway, a, b)
        m.disconnected()
        #expect(try m.nextInTurn() == dispatch(oneway))
        #expect(m.answered(continues: false) == .discard)
        #expect(try m.nextInTurn() == dispatch(a))
        #expect(m.next() == .finish(.init()), "nobody waits for the answer")
        #expect(m.isEnded)
    }

    @Test("ignores messages behind the open call once the peer has gone")
    func messagesBehindOpenCallOfDepartedPeerAreIgnored() throws {
        var m = try answering(a)
        m.receive(b)
        m.disconnected()
        #expect(m.isEnded)
        #expect(m.answered(continues: false) == .discard)
        #expect(m.next() == .wait)
    }

    @Test("ends at once when a peer without messages goes")
    func endsAtOnceWhenSilentPeerLeaves() {
        var m = idle()
        m.disconnected()
        #expect(m.next() == .finish(.init()))
    }

    @Test("does nothing after the end")
    func doesNothingAfterEnd() throws {
        var m = try answering(a)
        m.closed()
        #expect(m.answered(continues: false) == .discard)
        #expect(m.next() == .wait)
    }

    // MARK: Acceptance

    @Test("reads nothing before the peer is accepted")
    func readsNothingBeforeAcceptance() {
        var m = accepting()
        #expect(!m.wantsRead)
        #expect(m.next() == .wait)
        m.accepted()
        #expect(m.wantsRead)
        #expect(m.next() == .wait)
    }

    @Test("a rejection is the first and only message")
    func rejectionIsTheOnlyMessage() {
        var m = accepting()
        m.receive(a)
        m.inputClosed()
        #expect(m.next() == .wait)
        m.rejected(.init(lastWord: .error(error), reason: "r"))
        #expect(m.next() == .finish(.init(lastWord: .error(error), reason: "r")))
        m.accepted()
        #expect(m.isEnded)
    }

    @Test("messages of a peer that has gone wait for its acceptance")
    func messagesOfDepartedPeerWaitForAcceptance() throws {
        var m = accepting()
        m.receive(oneway)
        m.disconnected()
        #expect(m.next() == .wait)
        m.accepted()
        #expect(try m.nextInTurn() == dispatch(oneway))
    }

    @Test("ends without acceptance when a peer without messages goes")
    func silentPeerEndsWithoutAcceptance() {
        var m = accepting()
        m.disconnected()
        #expect(m.next() == .finish(.init()))
    }

    @Test("a shutdown does not wait for acceptance")
    func shutdownDoesNotWaitForAcceptance() {
        var m = accepting()
        m.shutdown(error)
        #expect(m.next() == .wait)
        m.missedFirstCall()
        #expect(m.next() == .finish(.init()))
        m.accepted()
        #expect(m.isEnded)
    }

    @Test("a shutdown answers a peer that is accepted meanwhile")
    func shutdownAnswersPeerAcceptedMeanwhile() {
        var m = accepting()
        m.shutdown(error)
        m.accepted()
        #expect(m.next() == .wait)
        m.receive(a)
        #expect(m.nextInTurn() == .answer(error))
        #expect(m.next() == .finish(.init()))
    }

    // MARK: Shutdown

    @Test("a shutdown ends streams")
    func shutdownEndsStreams() throws {
        var m = try answering(stream)
        m.shutdown(error)
        #expect(m.next() == .endStream(error))
        #expect(m.next() == .finish(.init()))
    }

    @Test("a shutdown lets the open call finish and answers the others")
    func shutdownLetsTheOpenCallFinishAndAnswersTheOthers() throws {
        var m = try answering(a)
        m.receive(oneway, b)
        m.shutdown(error)
        #expect(!m.wantsRead)
        #expect(m.next() == .wait)
        #expect(m.answered(continues: false) == .write)
        #expect(m.nextInTurn() == .queue, "nobody waits for that one's answer")
        m.takeTurn()
        #expect(m.next() == .answer(error))
        #expect(m.next() == .finish(.init()))
    }

    @Test("a shutdown without an error sends nothing")
    func shutdownWithoutErrorSendsNothing() throws {
        var m = try answering(stream)
        m.receive(b)
        m.shutdown(nil)
        #expect(m.next() == .endStream(nil))
        #expect(m.next() == .finish(.init()))
    }

    @Test("a shutdown waits for the first call")
    func shutdownWaitsForTheFirstCall() {
        var m = idle()
        m.shutdown(error)
        #expect(m.next() == .wait)
        #expect(m.wantsRead)
        m.receive(a)
        #expect(!m.wantsRead)
        #expect(m.nextInTurn() == .answer(error))
        #expect(m.next() == .finish(.init()))
    }

    @Test("a shutdown does not wait for ever")
    func shutdownDoesNotWaitForEver() {
        var m = idle()
        m.missedFirstCall()
        m.shutdown(error)
        #expect(m.next() == .wait)
        m.missedFirstCall()
        #expect(m.next() == .finish(.init()))
    }

    @Test("a shutdown does not wait for a second call")
    func shutdownWaitsForNoSecondCall() throws {
        var m = try answering(a)
        #expect(m.answered(continues: false) == .write)
        m.shutdown(error)
        #expect(m.next() == .finish(.init()))
    }

    @Test("a shutdown that takes too long answers the open call")
    func longShutdownAnswersOpenCall() throws {
        var m = try answering(a)
        #expect(m.shutdownTimedOut() == nil)
        m.shutdown(error)
        #expect(m.shutdownTimedOut() == error)
        #expect(m.answered(continues: false) == .discard)
        var quiet = try answering(oneway)
        quiet.shutdown(error)
        #expect(quiet.shutdownTimedOut() == nil)
    }
}

extension ConnectionStateMachine {
    fileprivate mutating func receive(_ messages: String...) {
        received(ByteBuffer(string: messages.map { $0 + "\0" }.joined()))
    }

    /// The next action when the connection has its turn as soon as it asks.
    fileprivate mutating func nextInTurn() -> Action {
        let action = next()
        guard action == .queue else { return action }
        takeTurn()
        return next()
    }
}
