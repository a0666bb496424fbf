import LocationModel
import LocationPolicy
import LocationStore

/// Delivers events of conditions and visits to the streams of their client, once they are on disk, and notes on disk that they
/// were delivered: a crash in between loses nothing, and repeats at most one event.
///
/// Confined to the event loop.
final class EventDelivery {
    private let register: ConditionRegister
    private let records: WatchedRecords
    private let gate: Gate
    private let accesses: AccessLog
    private let share: LoopShare
    private let queue: CoreQueue

    init(
        _ register: ConditionRegister, _ records: WatchedRecords, gate: Gate, accesses: AccessLog, share: LoopShare,
        queue: CoreQueue
    ) {
        (self.register, self.records, self.gate) = (register, records, gate)
        (self.accesses, self.share, self.queue) = (accesses, share, queue)
    }

    /// Sends waiting events to a stream that was opened, or whose peer reads again: a message at a time, in its user's share of the
    /// loop.
    func resume(_ stream: WatchStream, _ watching: WatchingClient) {
        guard !stream.isCatchingUp else { return }
        stream.isCatchingUp = true
        share.repeating(for: watching.key.userID) { [weak self] in
            if let self, sendNext(stream, watching) { return true }
            stream.isCatchingUp = false
            return false
        }
    }

    /// Sends their client's access, and what they are owed, to all streams of a client, likewise. Starts its program if it has no
    /// stream.
    func deliver(to watching: WatchingClient) {
        watching.isBlocked = false
        guard !watching.streams.isEmpty else {
            guard watching.hasUntold, let client = watching.client else { return }
            guard maySend(watching) else { return watching.isBlocked = true }
            return queue.append(.startProgram(client))
        }
        watching.round.isWantedAgain = true
        guard !watching.round.isRunning else { return }
        watching.round.isRunning = true
        share.repeating(for: watching.key.userID) { [weak self] in
            if let self, takeStep(of: watching) { return true }
            watching.round.isRunning = false
            return false
        }
    }

    /// Takes a step of the round over a client's streams. Returns false at its end.
    private func takeStep(of watching: WatchingClient) -> Bool {
        if watching.round.left == 0 {
            guard watching.round.isWantedAgain else { return false }
            (watching.round.left, watching.round.isWantedAgain) = (watching.streams.count, false)
        }
        guard watching.round.left > 0 else { return false }
        let stream = watching.streams[watching.round.left - 1]
        // If it was closed meanwhile, another one may have its index.
        if !sendNext(stream, watching), stream.index != nil { watching.round.left -= 1 }
        return true
    }

    /// True if a client may have its events now: they are on disk, and it has access at this moment, where the user is now.
    private func maySend(_ watching: WatchingClient) -> Bool {
        watching.savingCount == 0 && watching.recipient.map(gate.mayBeTold) ?? false
    }

    /// Sends a stream the client's access, and one event that it is owed. Returns false if it is owed nothing more, does not
    /// read, or may not be sent now.
    private func sendNext(_ stream: WatchStream, _ watching: WatchingClient) -> Bool {
        guard stream.index != nil else { return false }
        sendAccess(to: stream, of: watching)
        let isPermitted = maySend(watching)
        if !isPermitted { watching.isBlocked = true }
        if isPermitted, stream.observer.isReady {
            switch stream.subject {
            case .conditions(let monitor): if sendNextChange(stream, of: monitor, watching) { return true }
            case .visits: if sendNextVisit(stream, watching) { return true }
            }
        }
        saveTold(watching)
        return false
    }

    private func sendNextChange(_ stream: WatchStream, of monitor: String, _ watching: WatchingClient) -> Bool {
        guard let (number, index) = watching.table.change(of: monitor, after: stream.passed) else { return false }
        stream.passed = number
        let isTold = watching.table.entries[index].isTold
        guard number > stream.start || !isTold else { return true }
        if !isTold {
            watching.table.noteTold(index)
            watching.unsaved.append(register.report(index, of: watching))
        }
        noteAccess(watching, stream)
        stream.observer.send(register.report(index, of: watching))
        return true
    }

    private func sendNextVisit(_ stream: WatchStream, _ watching: WatchingClient) -> Bool {
        guard let (number, visit, isTold) = watching.visitLog.visit(after: stream.passed) else { return false }
        stream.passed = number
        guard number > stream.start || !isTold else { return true }
        if !isTold {
            watching.visitLog.noteTold(number)
            records.save { $0.save(StoredVisit(watching.key, visit, isTold: true)) }
        }
        noteAccess(watching, stream)
        stream.observer.send(visit)
        return true
    }

    /// Saves which events were sent: once for all of a stream, and when the stream is closed before it was sent
    /// everything.
    func saveTold(_ watching: WatchingClient) {
        guard !watching.unsaved.isEmpty else { return }
        records.save { $0.save(watching.unsaved, of: watching.key) }
        watching.unsaved = []
    }

    private func noteAccess(_ watching: WatchingClient, _ stream: WatchStream) {
        if let client = watching.client { accesses.noteEvent(client, by: stream.connection) }
    }

    private func sendAccess(to stream: WatchStream, of watching: WatchingClient) {
        guard let recipient = watching.recipient else { return }
        let evaluation = recipient.evaluation
        let process = stream.connection.process
        let diagnostic: LocationDiagnostic? =
            switch evaluation.access {
            case .permitted(.full): nil
            case .permitted(.reduced): .accuracyLimited
            case .suspended where !process.isUseKnown: nil
            case .suspended: .insufficientlyInUse
            case .undecided: .authorizationRequestInProgress
            case .refused:
                evaluation.authorization.status == .restricted ? .authorizationRestricted : .authorizationDenied
            }
        stream.send(
            diagnostic,
            diagnostic == nil ? nil : LocationCause(evaluation, of: recipient.client.declaration, in: process))
    }
}
