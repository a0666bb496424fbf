import LocationModel
import LocationPolicy

/// The rules and places of one user, and the paces of the clients that rules slow down.
///
/// It outlives connections: a client that connects again gets no further location before its time. Confined to the event
/// loop.
final class UserRules {
    let userID: UInt32
    private unowned let directory: RuleDirectory
    /// The state on disk.
    private(set) var stored: StoredRules
    /// The zones of the places, by name; without those whose secret was lost, which are in doubt.
    private(set) var zones: [String: ConcealedZone] = [:]
    /// The names of new places that are being saved. They count for the limit, and their names are taken.
    var placesBeingAdded: Set<String> = []
    /// Changes with the places.
    private(set) var placesVersion = 0
    /// The last delivery to each client that a rule with an interval may limit, by identifier.
    private var paces: [String: (pace: DeliveryPace, location: Publication?)] = [:]

    init(_ userID: UInt32, _ stored: StoredRules, paces: [String: DeliveryPace] = [:], in directory: RuleDirectory) {
        self.userID = userID
        self.directory = directory
        self.stored = stored
        self.paces = paces.mapValues { ($0, nil) }
        drawZones()
    }

    /// The user's own rules and those of the machine.
    var rules: [AccessRule] { directory.machineRules + stored.rules }

    /// The time on the wall clock.
    var now: Timestamp { directory.now }

    /// The surroundings of this moment.
    ///
    /// - Parameter position: the position of what is to be released; `nil` for the newest location.
    func surroundings(at position: Position?) -> Surroundings {
        var now = directory.surroundings(of: userID)
        if let position = position ?? directory.newest() { now.placements = position.placements(in: self) }
        return now
    }

    /// A lower bound of the distance in metres from a position to the nearest border at which one of these rules, which applies
    /// there, may end to apply; infinite without one.
    func distanceToBorder(from position: Position, of rules: [AccessRule]) -> Double {
        let surroundings = surroundings(at: position)
        return rules.lazy.filter { $0.dependsOnPlace && $0.applies(in: surroundings) != false }
            .map { [zones] in $0.distanceToBorder(from: position.coordinate, zones: zones) }.min() ?? .infinity
    }

    /// Replaces rules and places.
    func set(_ stored: StoredRules) {
        let isMoved = stored.places != self.stored.places || stored.secret != self.stored.secret
        self.stored = stored
        if isMoved { drawZones() }
    }

    private func drawZones() {
        placesVersion += 1
        guard let secret = stored.secret else { return zones = [:] }
        zones = stored.places.mapValues { ConcealedZone($0, secret: secret) }
    }

    // MARK: Paces

    /// The pace of deliveries to a client.
    func pace(of client: String) -> DeliveryPace { paces[client]?.pace ?? DeliveryPace() }

    /// The exact location that was delivered to a client last, while a rule with an interval may limit it.
    func lastLocation(of client: String) -> Publication? { paces[client]?.location }

    /// Records a delivery to a client. Returns true if no other delivery had this number.
    func delivered(_ number: UInt64, _ location: Publication?, to client: String) -> Bool {
        var now = paces[client] ?? (DeliveryPace(), nil)
        guard now.pace.delivered(number, at: .now) else { return false }
        now.location = location
        paces[client] = now
        return true
    }
}
