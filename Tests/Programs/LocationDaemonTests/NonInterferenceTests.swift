import DaemonTestSupport
import FoundationEssentials
import Glibc
import LocationConfiguration
import LocationModel
import LocationPolicy
import LocationSources
import NIOCore
import SeededRandom
import Synchronization
import TestSupport
import Testing

@testable import GeoClueFrontEnd
@testable import LocationCore
@testable import Varlink

/// What a program can observe must not depend on what a rule about a place keeps from it.
///
/// Two services get the same events and differ in one secret: in the first the user is at home, which a rule keeps from the program; in
/// the second the receiver has no fix meanwhile, or the user is elsewhere. Everything that the program is sent, by each front end and
/// with the moment, and all that a program at GeoClue's name can read, is compared over random sequences of events. (J. A. Goguen, J. Meseguer, "Security Policies and Security Models",
/// 1982.)
@Suite("Non-interference", .enabled(if: BusUnderTest.isInstalled), .timeLimit(.minutes(10)))
struct NonInterferenceTests {
    /// An event, the same in both services but for ``home``.
    enum Step: CustomStringConvertible {
        /// So many tenths of a second pass.
        case pass(Int)
        /// A fix so many metres from home.
        case fix(Double)
        /// What is the secret: see ``Secret``.
        case home
        /// The receiver loses its fix, in both.
        case loss
        /// The program opens a connection and calls a method; gpsd's protocol if there is none.
        case call(method: String?, parameters: String, more: Bool)
        /// The program asks on an open connection of gpsd's protocol.
        case poll
        /// The program closes its oldest connection.
        case close
        /// The program at GeoClue's name starts, or stops.
        case geoClue(isStarted: Bool)
        /// The user limits it to approximate locations, or allows exact ones.
        case accuracy(isReduced: Bool)
        /// The user denies it, or allows it again.
        case decision(isAllowed: Bool)
        /// Goes out of use, or comes into use again.
        case use(Bool)

        var description: String {
            switch self {
            case .pass(let tenths): "pass \(tenths)"
            case .fix(let metres): "fix \(metres)"
            case .home: "home"
            case .loss: "loss"
            case .call(let method, let parameters, _): "\(method ?? "gpsd") \(parameters)"
            case .poll: "poll"
            case .close: "close"
            case .geoClue(let isStarted): isStarted ? "Start" : "Stop"
            case .accuracy(let isReduced): isReduced ? "reduced" : "full"
            case .decision(let isAllowed): isAllowed ? "allow" : "deny"
            case .use(let isInUse): isInUse ? "in use" : "out of use"
            }
        }
    }

    /// What ``Step/home`` is in a service.
    enum Secret {
        /// A fix at home.
        case atHome
        /// The receiver has no fix.
        case noFix(UnavailableReason)
        /// A fix far from home.
        case elsewhere
    }

    private static let calls: [(String?, String, Bool)] = [
        ("Location.Subscribe", "{}", true),
        ("Location.Subscribe", #"{"distanceFilter":50}"#, true),
        ("Location.Subscribe", #"{"minimumInterval":4}"#, true),
        ("Location.Follow", #"{"rate":10}"#, true),
        ("Location.GetLocation", #"{"timeout":2}"#, false),
        ("Location.GetLocation", #"{"timeout":3,"desiredAccuracy":1}"#, false),
        ("Authorization.GetStatus", "{}", false),
        ("Authorization.Watch", "{}", true),
        ("Monitor.WatchVisits", "{}", true),
        ("Monitor.WatchConditions", #"{"monitor":"m"}"#, true),
        ("Monitor.AddCondition", condition("home", latitude: 48), false),
        ("Monitor.AddCondition", condition("far", latitude: 48.046), false),
        ("Monitor.ListConditions", #"{"monitor":"m"}"#, false),
        (nil, #"?WATCH={"enable":true,"json":true}"#, true),
        (nil, #"?WATCH={"enable":true,"nmea":true}"#, true),
    ]

    /// The parameters of a condition: a circle of 100 m.
    private static func condition(_ identifier: String, latitude: Double) -> String {
        let circle = #"{"circle":{"latitude":\#(latitude),"longitude":11.5,"radius":100}}"#
        return #"{"monitor":"m","identifier":"\#(identifier)","condition":\#(circle)}"#
    }

    /// True in `make test-full`, which tries more sequences.
    private static let isFull = getenv("LOCATIOND_TEST_FULL") != nil

    /// A sequence of events. The user is at home for a while, and elsewhere for a while.
    private static func steps(_ seed: UInt64) -> [Step] {
        var generator = SeededGenerator(seed: seed)
        var (steps, isHome, metres): ([Step], Bool, Double) = ([], false, 5000)
        // Some programs are there from the beginning.
        func call() -> Step {
            let (method, parameters, more) = calls.randomElement(using: &generator)!
            return .call(method: method, parameters: parameters, more: more)
        }
        for _ in 0..<3 { steps.append(call()) }
        steps.append(.geoClue(isStarted: true))
        steps.append(.fix(metres))
        while steps.count < 50 {
            switch Int.random(in: 0..<100, using: &generator) {
            case 0..<25: steps.append(.pass(Int.random(in: 1...40, using: &generator)))
            case 25..<65:
                if Int.random(in: 0..<6, using: &generator) == 0 { isHome.toggle() }
                metres += 20
                steps.append(isHome ? .home : .fix(metres))
                steps.append(.pass(10))
            case 65..<68: steps.append(.loss)
            case 68..<84: steps.append(call())
            case 84..<89: steps.append(.poll)
            case 89..<91: steps.append(.close)
            case 91: steps.append(.geoClue(isStarted: .random(using: &generator)))
            case 92..<95: steps.append(.accuracy(isReduced: .random(using: &generator)))
            case 95..<98: steps += [.decision(isAllowed: false), .pass(5), .decision(isAllowed: true)]
            default: steps += [.use(false), .pass(Int.random(in: 1...30, using: &generator)), .use(true)]
            }
        }
        return steps
    }

    /// A program at GeoClue's name, which is this very process.
    private final class Chart {
        static let declaration: ClientDeclaration = {
            var declaration = ClientDeclaration.map
            declaration.identifier = "org.example.Chart"
            declaration.match.executable = BusUnderTest.ownExecutable
            return declaration
        }()

        /// The answers to its calls that it has not looked at.
        private final class Answers: Sendable { let waiting = Mutex<[String]>([]) }

        let bus: BusClient
        private let client: String
        private var signals: AsyncStream<BusClient.Signal>.Iterator
        /// The paths of the last locations that it was told of.
        private var told: [String] = []
        private let answers = Answers()
        private var turns = 0

        init(at address: String) async throws {
            bus = try await BusClient(address)
            signals = bus.signals.makeAsyncIterator()
            client = try await bus.client()
            _ = try await bus.set("RequestedAccuracyLevel", .number(8), of: client)
            _ = await signals.next()
        }

        func call(_ method: String) async throws {
            bus.send(method, of: Interface.client.rawValue, at: client).whenSuccess { [answers] reply in
                answers.waiting.withLock { $0.append("\(method): \(reply.error ?? "done")") }
            }
            // The call has been handled when the reply to the next one comes.
            _ = try await bus.properties(of: client)
        }

        /// All that it has been sent since the last time.
        func seen() async throws -> [String] {
            turns += 1
            // The last signal of this turn.
            _ = try await bus.set("DesktopId", .text("turn \(turns)"), of: client)
            var seen: [String] = []
            while let signal = await signals.next(), signal.member != "DesktopId" {
                seen.append("\(signal)".replacing(client, with: "client"))
                if signal.member == "LocationUpdated", case .path(let path)? = signal.value { told.append(path) }
            }
            return seen
                + answers.waiting.withLock { answers in
                    defer { answers = [] }
                    return answers
                }
        }

        /// All that it can read: whether it is active, and the last three locations that it was told of.
        func read() async throws -> [String] {
            var read = ["active: \(try await bus.properties(of: client).properties["Active"] as Any)"]
            for path in ["\(client)/Location/0"] + told.suffix(3) {
                let location = try await bus.properties(of: path)
                var properties = location.properties
                // Approximate locations are placed by a secret of each run.
                if case .real(let accuracy)? = properties["Accuracy"], accuracy > 1000 {
                    for name in ["Latitude", "Longitude"] {
                        guard case .real(let value)? = properties[name] else { continue }
                        properties[name] = .boolean(value.isNaN)
                    }
                }
                let sorted = properties.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
                read.append(
                    "\(path.replacing(client, with: "client")): \(location.error ?? sorted.joined(separator: ", "))")
            }
            return read
        }
    }

    /// All that the programs are sent, each with the tenth of a second and the number of its connection, 0 for the one at GeoClue's name.
    ///
    /// - Parameters:
    ///   - limit: what the rule about home does, as members of its JSON.
    ///   - isReduced: true if the program may have approximate locations only, by its declaration.
    private func observe(_ steps: [Step], _ secret: Secret, limit: String, isReduced: Bool) async throws
        -> [String]
    {
        var seen: [String] = []
        let user = getuid()
        let program = PeerIdentity.example("/usr/bin/map", user: user)
        var declaration = ClientDeclaration.mapAtGPSDPort
        declaration.isReducedAccuracyDefault = isReduced
        let bus = try await BusUnderTest.start()
        var geoClueProgram = Chart.declaration
        geoClueProgram.isReducedAccuracyDefault = isReduced
        try await DaemonUnderTest.run(.inProcess, clients: [declaration, geoClueProgram, .doorbell]) {
            daemon in
            try await daemon.reload {
                $0.daemon.geoClue.isEnabled = true
                $0.daemon.geoClue.busAddress = bus.address
            }
            _ = try await daemon.log.line(containing: "this service is \(Interface.busName)")
            let manager = try await daemon.connect(as: .example("/usr/bin/locationctl", user: user))
            try await daemon.addHome(by: manager)
            try await daemon.addRule(
                #"{"inside":"home",\#(limit),"clients":["org.example.Map","org.example.Chart"]}"#, by: manager)
            let chart = try await Chart(at: bus.address)
            // Keeps the receiver at work in both.
            let doorbell = try await daemon.subscribe(as: .doorbell)
            var peers: [(number: Int, isGPSD: Bool, peer: any Peer)] = []
            var (count, tenth, lastFix, isLost): (Int, Int64, Int64, Bool) = (0, 0, .min, false)
            func change(_ method: String, _ member: String, _ value: String) async throws {
                for client in ["org.example.Map", "org.example.Chart"] {
                    try await daemon.change(
                        method, #"{"client":"\#(client)","\#(member)":"\#(value)"}"#, by: manager)
                }
            }
            func collect() async throws {
                try await daemon.finishDiskWork()
                seen += try await chart.seen().map { "\(tenth), 0: \($0)" }
                for (number, _, peer) in peers {
                    for message in try await peer.messages() {
                        guard let message = try Self.comparable(message) else { continue }
                        seen.append("\(tenth), \(number): \(message)")
                    }
                }
                _ = try await doorbell.messages()
            }
            func lose(_ reason: UnavailableReason) async throws {
                guard !isLost else { return }
                isLost = true
                try await daemon.emit(.unavailable(reason))
            }
            func fix(_ metres: Double) async throws {
                (lastFix, isLost) = (tenth, false)
                var event = SourceEvent.fix(metres, second: 0)
                if case .location(var location) = event {
                    location.timestamp = location.timestamp.advanced(by: .milliseconds(100 * tenth))
                    event = .location(location)
                }
                try await daemon.emit(event)
            }
            for step in steps {
                switch step {
                case .pass(let tenths):
                    for _ in 0..<tenths {
                        await daemon.turnClock(by: .milliseconds(100))
                        tenth += 1
                        // Every receiver counts as silent three seconds after its last fix.
                        if tenth == lastFix + 30 { try await lose(.silent) }
                        try await collect()
                    }
                case .fix(let metres): try await fix(metres)
                case .home:
                    switch secret {
                    case .atHome: try await fix(0)
                    case .elsewhere: try await fix(-20_000)
                    // It is reported when three seconds are over.
                    case .noFix(.silent): break
                    case .noFix(let reason): try await lose(reason)
                    }
                case .loss: try await lose(.noFix)
                case .call(let method?, let parameters, let more):
                    count += 1
                    let peer = try await daemon.connect(as: program)
                    try await peer.call(method, parameters, more: more)
                    peers.append((count, false, peer))
                case .call(nil, let command, _):
                    count += 1
                    let peer = try await daemon.connectAtGPSDPort()
                    await peer.send(command)
                    peers.append((count, true, peer))
                case .poll:
                    if let (_, _, peer) = peers.first(where: \.isGPSD) {
                        await (peer as? InProcessPeer)?.send("?POLL;")
                    }
                case .close:
                    guard !peers.isEmpty else { break }
                    await peers.removeFirst().peer.close()
                case .geoClue(let isStarted): try await chart.call(isStarted ? "Start" : "Stop")
                case .accuracy(let isReduced):
                    try await change("SetAccuracy", "accuracy", isReduced ? "reduced" : "full")
                case .decision(let isAllowed):
                    try await change("SetAuthorization", "authorization", isAllowed ? "authorizedAlways" : "denied")
                case .use(let isInUse): try await daemon.setInUse(isInUse)
                }
                try await collect()
                seen += try await chart.read().map { "\(tenth), 0: \($0)" }
            }
            try await chart.bus.close()
            try await daemon.reload { $0.daemon.geoClue.isEnabled = false }
            try await daemon.onLoop { $0.closeFrontEnds() }
        }
        return seen
    }

    /// A message without what differs between any two runs; `nil` for one that has nothing else.
    private static func comparable(_ message: String) throws -> String? {
        // The receiver and the answer to POLL have a time of their own.
        guard !message.contains("DEVICES") else { return nil }
        if message.contains(#""POLL""#) {
            return message.split(separator: #""active""#).last.map(String.init)?.withoutCoordinates
        }
        // What gpsd's programs read.
        guard message.hasPrefix("{"), !message.contains(#""class""#) else { return message.withoutCoordinates }
        // The members of errors come in any order, and a condition without a location has the time at which it was added.
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let text = String(decoding: try encoder.encode(json(message)), as: UTF8.self)
        // That time has three, six or nine decimals.
        let length = message.withoutCoordinates.replacing(/\.\d{3,9}Z/, with: "Z").utf8.count
        return "\(length) bytes: \(text)".withoutCoordinates
            .replacing(/"date":"[^"]*"(?=,"identifier":"[^"]*","state":"unknown")/, with: "")
    }

    /// Compares what two services let the program observe.
    private func compare(_ steps: [Step], with other: Secret, limit: String, isReduced: Bool) async throws {
        let first = try await observe(steps, .atHome, limit: limit, isReduced: isReduced)
        let second = try await observe(steps, other, limit: limit, isReduced: isReduced)
        #expect(!first.isEmpty)
        guard first != second else { return }
        let index = zip(first, second).prefix { $0 == $1 }.count
        func message(_ messages: [String]) -> String {
            messages.dropFirst(index).first?.replacing(/\s+/, with: " ") ?? "nothing more"
        }
        Issue.record(
            """
            message \(index) differs: at home \(message(first)), otherwise (\(other), \(isReduced)) \(message(second)), \
            after \(first.prefix(index).suffix(4)), in \(steps)
            """)
    }

    @Test(
        "a program cannot distinguish a place where it may have no locations from a receiver without a fix",
        // The last seven of 300 found faults that the others do not.
        arguments: Array(1...(isFull ? 60 : 8)) + [97, 115, 163, 178, 197, 232, 240] as [UInt64])
    func withheld(seed: UInt64) async throws {
        let reason = ([.noFix, .silent, .noReceiver] as [UnavailableReason])[Int(seed) % 3]
        try await compare(
            Self.steps(seed), with: .noFix(reason), limit: #""deny":true"#, isReduced: seed.isMultiple(of: 2))
    }

    @Test(
        "a program with approximate locations cannot distinguish a place where it may have no others",
        arguments: 301...(isFull ? 330 : 306) as ClosedRange<UInt64>)
    func reduced(seed: UInt64) async throws {
        let steps = Self.steps(seed).filter { if case .accuracy = $0 { false } else { true } }
        try await compare(steps, with: .elsewhere, limit: #""reducedAccuracy":true"#, isReduced: true)
    }
}
