import NIOCore
import Testing

@testable import Varlink

@Suite struct ConnectionStateMachineTests {
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

    @Test func waitsAtFirst() {
        var m = idle()
        #expect(m.next() == .wait)
        #expect(m.wantsRead)
    }

    @Test func looksAtNothingOutOfTurn() throws {
        var m = idle()
        m.receive("{")
        #expect(m.next() == .queue)
        #expect(m.next() == .wait)
        m.takeTurn()
        let wrong = VarlinkError.invalidParameter("message")
        #expect(m.next() == .finish(.init(lastWord: .error(wrong), reason: CallMessage.reason(wrong))))
    }

    @Test func dispatchesInOrderAndATurnEach() throws {
        var m = try answering(a)
        m.receive(b, a)
        #expect(m.next() == .wait)
        #expect(m.answered(continues: false) == .write)
        #expect(try m.nextInTurn() == dispatch(b))
        #expect(m.answered(continues: false) == .write)
        #expect(try m.nextInTurn() == dispatch(a))
    }

    @Test func streamKeepsTheConnection() throws {
        var m = try answering(stream)
        m.receive(b)
        #expect(m.answered(continues: true) == .write)
        #expect(m.next() == .wait)
        #expect(m.answered(continues: false) == .write)
        #expect(try m.nextInTurn() == dispatch(b))
    }

    @Test func streamNeedsMore() throws {
        var m = try answering(a)
        #expect(m.answered(continues: true) == .expectedMore)
        #expect(m.answered(continues: false) == .discard)
    }

    @Test func onewayIsNotAnswered() throws {
        var m = try answering(oneway)
        #expect(m.answered(continues: false) == .discard)
        #expect(m.next() == .wait)
    }

    // MARK: Reading

    @Test func readsAheadOneMessageAndNoMore() throws {
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

    @Test func dispatchesNothingToAPeerThatDoesNotRead() throws {
        var m = idle()
        m.isWritable = false
        m.receive(a)
        #expect(m.next() == .wait)
        #expect(!m.wantsRead)
        m.isWritable = true
        #expect(try m.nextInTurn() == dispatch(a))
        #expect(m.wantsRead)
    }

    @Test func holdsWhatIsNotAnswered() throws {
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

    @Test func tooLongAMessageEndsItInItsTurn() throws {
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

    @Test func answersAfterThePeersLastWord() throws {
        var m = try answering(a)
        m.receive(b)
        m.inputClosed()
        #expect(m.next() == .wait)
        #expect(m.answered(continues: false) == .write)
        #expect(try m.nextInTurn() == dispatch(b))
        #expect(m.answered(continues: false) == .write)
        #expect(m.next() == .finish(.init()))
    }

    @Test func halfAMessageIsTheEnd() {
        var m = idle()
        m.received(ByteBuffer(string: "{"))
        m.inputClosed()
        #expect(m.nextInTurn() == .finish(.init(reason: "it stopped in the middle of a message")))
    }

    @Test func whatAPeerSaidBeforeItLeftCounts() throws {
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

    @Test func nothingBehindTheOpenCallCountsOnceThePeerHasGone() throws {
        var m = try answering(a)
        m.receive(b)
        m.disconnected()
        #expect(m.isEnded)
        #expect(m.answered(continues: false) == .discard)
        #expect(m.next() == .wait)
    }

    @Test func endsAtOnceOnceAPeerThatSaidNothingHasGone() {
        var m = idle()
        m.disconnected()
        #expect(m.next() == .finish(.init()))
    }

    @Test func nothingAfterTheEnd() throws {
        var m = try answering(a)
        m.closed()
        #expect(m.answered(continues: false) == .discard)
        #expect(m.next() == .wait)
    }

    // MARK: Acceptance

    @Test func readsNothingBeforeItIsAccepted() {
        var m = accepting()
        #expect(!m.wantsRead)
        #expect(m.next() == .wait)
        m.accepted()
        #expect(m.wantsRead)
        #expect(m.next() == .wait)
    }

    @Test func rejectionIsTheFirstAndLastWord() {
        var m = accepting()
        m.receive(a)
        m.inputClosed()
        #expect(m.next() == .wait)
        m.rejected(.init(lastWord: .error(error), reason: "r"))
        #expect(m.next() == .finish(.init(lastWord: .error(error), reason: "r")))
        m.accepted()
        #expect(m.isEnded)
    }

    @Test func whatAPeerSaidAndLeftWaitsForItsAcceptance() throws {
        var m = accepting()
        m.receive(oneway)
        m.disconnected()
        #expect(m.next() == .wait)
        m.accepted()
        #expect(try m.nextInTurn() == dispatch(oneway))
    }

    @Test func nobodyWaitsForTheAcceptanceOfAPeerThatSaidNothing() {
        var m = accepting()
        m.disconnected()
        #expect(m.next() == .finish(.init()))
    }

    @Test func shutdownDoesNotWaitForAcceptance() {
        var m = accepting()
        m.shutdown(error)
        #expect(m.next() == .wait)
        m.missedFirstCall()
        #expect(m.next() == .finish(.init()))
        m.accepted()
        #expect(m.isEnded)
    }

    @Test func shutdownAnswersWhoIsAcceptedMeanwhile() {
        var m = accepting()
        m.shutdown(error)
        m.accepted()
        #expect(m.next() == .wait)
        m.receive(a)
        #expect(m.nextInTurn() == .answer(error))
        #expect(m.next() == .finish(.init()))
    }

    // MARK: Shutdown

    @Test func shutdownEndsStreams() throws {
        var m = try answering(stream)
        m.shutdown(error)
        #expect(m.next() == .endStream(error))
        #expect(m.next() == .finish(.init()))
    }

    @Test func shutdownLetsTheOpenCallFinishAndAnswersTheOthers() throws {
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

    @Test func shutdownWithoutAnErrorSaysNothing() throws {
        var m = try answering(stream)
        m.receive(b)
        m.shutdown(nil)
        #expect(m.next() == .endStream(nil))
        #expect(m.next() == .finish(.init()))
    }

    @Test func shutdownWaitsForTheFirstCall() {
        var m = idle()
        m.shutdown(error)
        #expect(m.next() == .wait)
        #expect(m.wantsRead)
        m.receive(a)
        #expect(!m.wantsRead)
        #expect(m.nextInTurn() == .answer(error))
        #expect(m.next() == .finish(.init()))
    }

    @Test func shutdownDoesNotWaitForEver() {
        var m = idle()
        m.missedFirstCall()
        m.shutdown(error)
        #expect(m.next() == .wait)
        m.missedFirstCall()
        #expect(m.next() == .finish(.init()))
    }

    @Test func shutdownWaitsForNoSecondCall() throws {
        var m = try answering(a)
        #expect(m.answered(continues: false) == .write)
        m.shutdown(error)
        #expect(m.next() == .finish(.init()))
    }

    @Test func shutdownThatLastsTooLongAnswersTheOpenCall() throws {
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
