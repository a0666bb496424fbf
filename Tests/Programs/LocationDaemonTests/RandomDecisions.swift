import SeededRandom
import LocationModel
import LocationPolicy

/// Something that changes what clients may have.
enum Flip: Sendable {
    case decide(client: Int, user: UInt32, ClientAuthorization.Decision)
    /// Location services of a user, or of everybody.
    case enable(user: UInt32?, Bool)
    case restrict(client: Int, Bool)
    case use(Bool)
}

/// What every client of every user may have after the flips that were acknowledged: written down once more, without a look
/// at how the daemon does it.
struct Permissions {
    struct Key: Hashable {
        var client: Int
        var user: UInt32
    }

    /// What may reach a client, in order.
    enum Access: Int, Comparable {
        case nothing, reduced, exact
        static func < (one: Access, other: Access) -> Bool { one.rawValue < other.rawValue }
    }

    let clients: Range<Int>
    let users: [UInt32]
    private var levels: [Key: ClientPolicy.Level] = [:]
    private var isReduced: Set<Key> = []
    private var disabled: Set<UInt32?> = []
    private var restricted: Set<Int> = []
    private var isInUse = true

    /// Everybody may know everything.
    init(clients: Range<Int>, users: [UInt32]) {
        self.clients = clients
        self.users = users
        for key in keys { levels[key] = .always }
    }

    var keys: [Key] { users.flatMap { user in clients.map { Key(client: $0, user: user) } } }

    func access(_ key: Key) -> Access {
        guard !restricted.contains(key.client), disabled.isDisjoint(with: [nil, key.user]),
            let level = levels[key], level == .always || isInUse
        else { return .nothing }
        return isReduced.contains(key) ? .reduced : .exact
    }

    mutating func apply(_ flip: Flip) {
        switch flip {
        case .decide(let client, let user, let decision):
            let key = Key(client: client, user: user)
            switch decision {
            case .allow(let level, _): levels[key] = level
            case .deny: levels[key] = nil
            case .end, .resetUnused: break
            case .reset:
                levels[key] = nil
                isReduced.remove(key)
            case .accuracy(.reduced): isReduced.insert(key)
            case .accuracy(.full): isReduced.remove(key)
            }
        case .enable(let user, true): disabled.remove(user)
        case .enable(let user, false): disabled.insert(user)
        case .restrict(let client, true): restricted.insert(client)
        case .restrict(let client, false): restricted.remove(client)
        case .use(let isInUse): self.isInUse = isInUse
        }
    }

    /// What happens next. What takes from everybody is taken back soon, so that there is something to take.
    func randomFlip(using generator: inout SeededGenerator) -> Flip {
        if !isInUse, Bool.random(using: &generator) { return .use(true) }
        if let user = disabled.randomElement(using: &generator), Bool.random(using: &generator) {
            return .enable(user: user, true)
        }
        if let client = restricted.randomElement(using: &generator), Bool.random(using: &generator) {
            return .restrict(client: client, false)
        }
        let client = Int.random(in: clients, using: &generator)
        let user = users[Int.random(in: users.indices, using: &generator)]
        switch Int.random(in: 0..<16, using: &generator) {
        case 0: return .use(false)
        case 1: return .enable(user: user, false)
        case 2: return .enable(user: nil, false)
        case 3: return .restrict(client: client, true)
        case _ where restricted.contains(client): return .restrict(client: client, false)
        case 4, 5: return .decide(client: client, user: user, .deny)
        case 6: return .decide(client: client, user: user, .reset)
        case 7, 8: return .decide(client: client, user: user, .accuracy(.reduced))
        case 9, 10: return .decide(client: client, user: user, .accuracy(.full))
        case 11, 12: return .decide(client: client, user: user, .allow(.whenInUse))
        default: return .decide(client: client, user: user, .allow(.always))
        }
    }

    /// What gives everybody everything back.
    var flipsToRestore: [Flip] {
        [.use(true)] + disabled.map { .enable(user: $0, true) } + restricted.map { .restrict(client: $0, false) }
            + keys.flatMap { key -> [Flip] in
                [
                    .decide(client: key.client, user: key.user, .allow(.always)),
                    .decide(client: key.client, user: key.user, .accuracy(.full)),
                ]
            }
    }
}
