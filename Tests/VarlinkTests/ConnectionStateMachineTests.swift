import NIOCore
import Testing

@testable import Varlink

@Suite struct ConnectionStateMachineTests {
    private let a: CallMessage
    private let b: CallMessage
    private let stream: CallMessage
    private let oneway: CallMessage
    private let error = VarlinkError(name: "t.Error")

    init() throws {
        a = try CallMessage(ByteBuffer(string: #"{"method":"t.A"}"#))
        b = try CallMessage(ByteBuffer(string: #"{"method":"t.B"}"#))
        stream = try CallMessage(ByteBuffer(string: #"{"method":"t.S","more":true}"#))
        oneway = try CallMessage(ByteBuffer(string: #"{"method":"t.O","oneway":true}"#))
    }

    private func machine(_ prepare: (inout ConnectionStateMachine) -> Void = { _ in }) -> ConnectionStateMachine {
        var limits = ServerLimits()
        limits.pipelinedCalls = 2
        limits.messageSize = 24
        var machine = ConnectionStateMachine(limits: limits)
        machine.accepted()
        prepare(&machine)
        return machine
    }

    private func answering(_ call: CallMessage) -> ConnectionStateMachine {
        var machine = machine()
        #expect(machine.received(call) == true)
        #expect(machine.next() == .dispatch(call))
        return machine
    }

    @Test func waitsAtFirst() {
        var m = machine()
        #expect(m.next() == .wait)
    }

    @Test func dispatchesInOrder() {
        var m = answering(a)
        #expect(m.received(b) == true)
        #expect(m.next() == .wait)
        #expect(m.answered(continues: false) == .write)
        #expect(m.next() == .dispatch(b))
    }

    @Test func streamKeepsTheConnection() {
        var m = answering(stream)
        #expect(m.received(b) == true)
        #expect(m.answered(continues: true) == .write)
        #expect(m.next() == .wait)
        #expect(m.answered(continues: false) == .write)
        #expect(m.next() == .dispatch(b))
    }

    @Test func streamNeedsMore() {
        var m = answering(a)
        #expect(m.answered(continues: true) == .expectedMore)
        #expect(m.answered(continues: false) == .discard)
    }

    @Test func onewayIsNotAnswered() {
        var m = answering(oneway)
        #expect(m.answered(continues: false) == .discard)
        #expect(m.next() == .wait)
    }

    @Test func oneTooManyIsRefusedInItsTurn() {
        var m = answering(a)
        #expect(m.received(b) == true)
        #expect(m.received(b) == true)
        #expect(m.received(b) == false)
        m.refused(.init(error: error, reason: "r"))
        #expect(!m.wantsRead)
        for _ in 0..<2 {
            #expect(m.answered(continues: false) == .write)
            #expect(m.next() == .dispatch(b))
        }
        #expect(m.answered(continues: false) == .write)
        #expect(m.next() == .finish(.init(error: error, reason: "r")))
        #expect(m.next() == .wait)
        #expect(m.wantsRead)
    }

    @Test func takesNothingAfterARefusal() {
        var m = machine { $0.refused(.init(error: error, reason: nil)) }
        #expect(m.received(a) == true)
        #expect(m.next() == .finish(.init(error: error, reason: nil)))
    }

    @Test func firstRefusalCounts() {
        var m = machine { $0.refused(.init(error: error, reason: nil)) }
        m.inputClosed()
        #expect(m.next() == .finish(.init(error: error, reason: nil)))
    }

    @Test func answersAfterThePeersLastWord() {
        var m = answering(a)
        m.inputClosed()
        #expect(m.next() == .wait)
        #expect(m.answered(continues: false) == .write)
        #expect(m.next() == .finish(.init()))
    }

    @Test func dispatchesNothingToAPeerThatDoesNotRead() {
        var m = machine { $0.isWritable = false }
        #expect(m.received(a) == true)
        #expect(m.next() == .wait)
        #expect(!m.wantsRead)
        m.isWritable = true
        #expect(m.next() == .dispatch(a))
        #expect(m.wantsRead)
    }

    @Test func readsNoMoreThanOneMessageAhead() {
        var m = answering(a)
        #expect(m.received(b) == true)
        #expect(m.wantsRead)
        #expect(m.received(b) == true)
        #expect(!m.wantsRead)
    }

    @Test func shutdownEndsStreams() {
        var m = answering(stream)
        m.shutdown(error)
        #expect(m.next() == .endStream(error))
        #expect(m.next() == .finish(.init()))
    }

    @Test func shutdownLetsTheOpenCallFinishAndAnswersTheOthers() {
        var m = answering(a)
        #expect(m.received(oneway) == true)
        #expect(m.received(b) == true)
        m.shutdown(error)
        #expect(m.next() == .wait)
        #expect(m.answered(continues: false) == .write)
        #expect(m.next() == .answer(error))
        #expect(m.next() == .finish(.init()))
    }

    @Test func shutdownWithoutAnErrorSaysNothing() {
        var m = answering(stream)
        #expect(m.received(b) == true)
        m.shutdown(nil)
        #expect(m.next() == .endStream(nil))
        #expect(m.next() == .finish(.init()))
    }

    @Test func shutdownWaitsForTheFirstCall() {
        var m = machine()
        m.shutdown(error)
        #expect(m.next() == .wait)
        #expect(m.wantsRead)
        #expect(m.received(a) == true)
        #expect(m.next() == .answer(error))
        #expect(m.next() == .finish(.init()))
    }

    @Test func shutdownDoesNotWaitForEver() {
        var m = machine()
        m.missedFirstCall()
        m.shutdown(error)
        #expect(m.next() == .wait)
        m.missedFirstCall()
        #expect(m.next() == .finish(.init()))
    }

    @Test func shutdownWaitsForNoSecondCall() {
        var m = answering(a)
        #expect(m.answered(continues: false) == .write)
        m.shutdown(error)
        #expect(m.next() == .finish(.init()))
    }

    @Test func shutdownThatLastsTooLongAnswersTheOpenCall() {
        var m = answering(a)
        #expect(m.shutdownTimedOut() == nil)
        m.shutdown(error)
        #expect(m.shutdownTimedOut() == error)
        #expect(m.answered(continues: false) == .discard)
        var quiet = answering(oneway)
        quiet.shutdown(error)
        #expect(quiet.shutdownTimedOut() == nil)
    }

    private func accepting() -> ConnectionStateMachine { ConnectionStateMachine(limits: ServerLimits()) }

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
        m.rejected(.init(error: error, reason: "r"))
        #expect(m.received(a) == true)
        #expect(m.next() == .finish(.init(error: error, reason: "r")))
        m.accepted()
        #expect(m.isEnded)
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
        #expect(m.received(a) == true)
        #expect(m.next() == .answer(error))
        #expect(m.next() == .finish(.init()))
    }

    @Test func nothingAfterTheEnd() {
        var m = answering(a)
        m.closed()
        #expect(m.answered(continues: false) == .discard)
        #expect(m.next() == .wait)
    }
}
