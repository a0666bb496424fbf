import LocationConditions
import LocationModel
import LocationPolicy
import LocationStore

/// The conditions and visits of one client of a user. They outlive the client's connections.
///
/// Confined to the event loop.
final class WatchingClient {
    /// The effect of the client's access on what it has watched.
    enum Standing {
        /// Locations are needed for it.
        case watched
        /// It has no access at this moment, which only the next location can change: that of another place, or a prompt that
        /// a location calls for.
        case waiting
        case unwatched
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
    /// The visits that it has not been told of.
    var untoldVisits: [Visit] = []
    /// The open streams.
    var streams: [ObjectIdentifier: WatchStream] = [:]
    var standing = Standing.unwatched
    /// The number of its changes that are being saved.
    var savingCount = 0

    init(key: ClientKey, number: Int32) { (self.key, self.number) = (key, number) }

    /// True if it has nothing watched.
    var isEmpty: Bool { table.isEmpty && visits == nil }

    /// True if it has not been told of everything.
    var hasUntold: Bool { !untoldVisits.isEmpty || table.entries.contains { !$0.isTold } }

    /// True if a stream has not been told of everything.
    var hasOwing: Bool { streams.values.contains(where: \.owesAnything) }
}

/// A client as the recipient of the locations by which its conditions and visits are decided.
///
/// Confined to the event loop.
final class WatchingRecipient: Recipient {
    let client: Client

    init(_ client: Client) { self.client = client }

    var pace: DeliveryPace { client.pace }

    /// The evaluation of its access: while in use for a client that is authorized while in use, at any time for *always*.
    func evaluation(at position: Position?) -> AccessEvaluation {
        client.evaluation(isInUse: client.watchedInUse > 0, at: position)
    }
}
