import CLinux
import ConditionSimulation
import Glibc
import LinuxPlumbing
import LocationConditions
import LocationConfiguration
import LocationCore
import LocationModel
import LocationPolicy
import LocationSources
import LocationStore
import Logging
import NIOCore
import NIOPosix
import SeededRandom

/// The cost of a fix and the memory in the service: 100 clients with 1,000 conditions each, beside one with 10.
enum ServiceTable {
    private static let (largestExtra, mostBytes) = (20.0, 200.0)
    private static let fixes = 5000

    static func measure() async -> Bool {
        print("\nin the service, \(fixes) fixes at 30 m/s; aims: 20 µs more than with 10 conditions, 200 bytes each")
        do {
            let few = try await measure(clients: 1, conditions: 10)
            let many = try await measure(clients: 100, conditions: 1000)
            let extra = many.microseconds - few.microseconds
            print(
                "10 conditions: \(few.microseconds.text()) µs a fix; 100,000: \(many.microseconds.text()) µs, "
                    + "\((many.microseconds / few.microseconds).text()) times as much; \(many.bytes.text(0)) bytes each"
            )
            let isReached = extra <= largestExtra && many.bytes <= mostBytes
            print("aims:", isReached ? "reached" : "MISSED")
            return isReached
        } catch {
            print("could not be measured: \(error)")
            return false
        }
    }

    private static func measure(
        clients: Int, conditions: Int
    ) async throws -> (microseconds: Double, bytes: Double) {
        var path = Array("/tmp/locationd-bench-XXXXXX".utf8CString)
        guard mkdtemp(&path) != nil else { throw ChannelError.operationUnsupported }
        let directory = String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer {
            for name in ["locationd.db", "watching"] { unlink("\(directory)/\(name)") }
            rmdir(directory)
        }
        let now: @Sendable () -> Timestamp = { Timestamp(secondsSince1970: Int64(time(nil))) }
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let decisions = DecisionStore(
            try LocationStore.open(directory: directory, now: now()).store, eventLoop: loop, now: now)
        let declarations = (0..<clients).map { index in
            var match = ClientMatch()
            match.executable = "/bench/\(index)"
            var declaration = ClientDeclaration(identifier: "org.example.Bench\(index)", match: match, file: "/bench")
            declaration.policy.presetAuthorization = .always
            return declaration
        }
        let configuration = Configuration(clients: declarations)
        let core = try Core(
            logger: Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() }, disk: decisions,
            stored: try await decisions.read(historyDays: 0)
        ) { _ in configuration }
        let before = try await loop.submit { locationd_memory_in_use() }.get()
        for index in 0..<clients { try await add(conditions, client: index, to: core, on: loop) }
        let result = try await loop.submit { () -> (Double, Double) in
            let bytes = locationd_memory_in_use() - before
            let clock = ContinuousClock()
            var spent = Duration.zero
            for index in 0..<fixes {
                var location = Location(
                    coordinate: Field.coordinate(SIMD2(Double(index) * 30, 0)), timestamp: now())
                location.horizontalAccuracy = 5
                location.speed = 30
                let event = SourceEvent.location(location)
                // The first one puts all conditions into the index.
                let elapsed = clock.measure { core.receive(event) }
                if index > 0 { spent += elapsed }
            }
            return (spent / .microseconds(1) / Double(fixes - 1), Double(bytes) / Double(clients * conditions))
        }.get()
        try await loop.submit { core.shutdown() }.get()
        try await decisions.shutdown()
        return (microseconds: result.0, bytes: result.1)
    }

    private static func add(_ count: Int, client: Int, to core: Core, on loop: any EventLoop) async throws {
        let saved = loop.makePromise(of: Void.self)
        try await loop.submit {
            guard let process = WatchedProcess(processID: getpid()) else { return saved.succeed() }
            var peer = PeerIdentity(userID: 1000, processID: getpid())
            peer.executable = "/bench/\(client)"
            let connection = try core.open(peer, process, frontEnd: FrontEndKind(name: "Bench"))
            var random = SeededGenerator(seed: UInt64(client))
            var left = count
            for index in 0..<count {
                let center = Field.coordinate(
                    SIMD2(random.uniform(-500_000...500_000), random.uniform(-500_000...500_000)))
                let circle = try CircularGeographicCondition(center: center, radius: random.uniform(50...500))
                // Otherwise one of the first fixes determines all of them at once.
                try core.addCondition(
                    ConditionName("bench", "place \(index)"), .circle(circle), assuming: .unsatisfied, connection
                ) { _ in
                    left -= 1
                    if left == 0 { saved.succeed() }
                }
            }
            core.close(connection)
        }.get()
        try await saved.futureResult.get()
    }
}
