import LocationConditions
import LocationModel
import LocationPolicy
import LocationStore

/// The conditions and visits of one client of a user. They outlive the client's connections.
///
/// Confined to the event loop.
final class WatchingClient {
    /// The effect of the client's access on its conditions and visits.
    enum Standing {
        /// Locations are needed for it.
        case watched
        /// It has no access at this moment, which only the next location can change: that of another place, or a prompt that
        /// a location calls for.
        case waiting
        case unwatched

        init(_ evaluation: AccessEvaluation) {
            self =
                switch evaluation.access {
                case .permitted(.full): evaluation.view.release == .full ? .watched : .waiting
                case .suspended where evaluation.needsConfirmation: .waiting
                case .permitted(.reduced), .suspended, .undecided, .refused: .unwatched
                }
        }
    }

    let key: ClientKey
    /// Its number among those that watch.
    let number: Int32
    /// The client, as a recipient of locations; `nil` while no declaration has its identifier.
    var recipient: WatchingRecipient?
    /// The client; `nil` while no declaration has its identifier.
    var client: Client? { recipient?.client }
    var table = ConditionTable()
    /// True while its conditions are in the set of all.
    var isIncluded: Bool { table.resting == nil }
    /// The detection of visits; `nil` unless it watches them.
    var visits: VisitMachine?
    /// The visits that streams may have to send.
    var visitLog = VisitLog()
    /// The open streams.
    private(set) var streams: ContiguousArray<WatchStream> = []
    /// The round in which waiting events are sent to them.
    var round = Round()
    /// The notes of reported events that are not on their way to the disk yet.
    var unsaved: [ConditionReport] = []
    /// True if an event could not be reported for lack of access.
    var isBlocked = false
    var standing = Standing.unwatched
    /// The number of its changes that are being saved.
    var savingCount = 0

    init(key: ClientKey, number: Int32) { (self.key, self.number) = (key, number) }

    /// True if it has nothing watched.
    var isEmpty: Bool { table.isEmpty && visits == nil }

    /// True if it has not been told of everything.
    var hasUntold: Bool { visitLog.hasUntold || table.entries.contains { !$0.isTold } }

    /// The number of the last visit that all streams have passed.
    var passedVisits: UInt64 { streams.lazy.filter { $0.subject == .visits }.map(\.passed).min() ?? .max }

    /// Adds a stream.
    func add(_ stream: WatchStream) {
        stream.index = streams.count
        streams.append(stream)
    }

    /// Removes a stream. The last one takes its index, so that it stays among those of a round that are visited later.
    func remove(_ stream: WatchStream) {
        guard let index = stream.index else { return }
        stream.index = nil
        let last = streams.removeLast()
        if last !== stream {
            streams[index] = last
            last.index = index
        }
        round.left = min(round.left, streams.count)
    }

    /// A round over all streams, from the last to the first, a step at a time.
    struct Round {
        /// True while its steps are due.
        var isRunning = false
        /// True if another round has to follow, because something has happened since this one began.
        var isWantedAgain = false
        /// The number of streams that are left, the first ones.
        var left = 0
    }
}

/// A client as the recipient of the locations by which its conditions and visits are decided.
///
/// Confined to the event loop.
final class WatchingRecipient: Recipient {
    let client: Client

    init(_ client: Client) { self.client = client }

    /// The evaluation of its access: while in use for a client that is authorized while in use, at any time for *always*.
    func evaluation(at position: Position?) -> AccessEvaluation {
        client.evaluation(isInUse: client.watchedInUse > 0, at: position)
    }
}
