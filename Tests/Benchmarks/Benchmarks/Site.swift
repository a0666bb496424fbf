import BenchmarkLoad
import Glibc
import Measuring
import TestSupport

/// The directory of the servers under test, and the CPUs they run on.
struct Site {
    let directory: String
    let serverCPU: Int32
    let loadCPU: Int32
    private let programs = Products.directory
    private var configuration: String { directory + "/locationd.plist" }
    private var log: String { directory + "/log" }

    init() throws {
        var (first, last): (Int32, Int32) = (-1, -1)
        process_cpus(&first, &last)
        (serverCPU, loadCPU) = (first, last)

        var template = Array("/tmp/locationd-benchmark-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw BenchmarkError.unreadable("/tmp") }
        // Other users connect to sockets in it.
        chmod(template, 0o711)
        directory = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)

        for program in ["locationd", "broadcaster"] where access("\(programs)/\(program)", X_OK) != 0 {
            throw BenchmarkError.notBuilt("\(programs)/\(program)")
        }
        try configure(client: Products.tests)
    }

    func remove() {
        TextFile.removeDirectory(directory)
    }

    /// Declares the benchmark as the client, allows it to decide for its users, and lifts the limits.
    private func configure(client: String) throws {
        mkdir(directory + "/clients.d", 0o700)
        let bus = getenv("GEOCLUE_BUS").map { String(cString: $0) }
        let geoClue: PropertyList = bus.map { ["GeoClue": ["Enabled": true, "BusAddress": .string($0)]] } ?? [:]
        try TextFile.write(
            PropertyList.text(
                [
                    "ClientDirectories": ["\(directory)/clients.d"], "Agents": [.string(client)],
                    "Limits": [
                        "ConnectionsPerUser": 65_536, "SubscriptionsPerUser": 65_536, "MonitorStreamsPerClient": 65_536,
                    ],
                ] + geoClue), to: configuration)
        try TextFile.write(
            PropertyList.text([
                "CFBundleIdentifier": "org.locationd.benchmark", "CFBundleDisplayName": "Benchmark",
                "NSLocationWhenInUseUsageDescription": "Measures.",
                "NSLocationAlwaysAndWhenInUseUsageDescription": "Measures.",
                "Match": ["Executable": .string(client)], "Policy": ["PresetAuthorization": "always"],
            ]), to: directory + "/clients.d/org.locationd.benchmark.plist")
    }

    /// Starts the daemon as the first server of a new load, and waits until it is ready.
    ///
    /// - Parameter hasSlowDisk: true if each synchronisation of a file takes five milliseconds more.
    func startDaemon(load servers: Int32, hasSlowDisk: Bool = false) throws -> Server {
        guard let load = load_create(servers) else { throw BenchmarkError.noGPSD }
        return try startDaemon(load, index: 0, hasSlowDisk: hasSlowDisk)
    }

    /// Starts another daemon as the second server of the first one's load.
    func startDaemon(beside first: Server) throws -> Server { try startDaemon(first.load, index: 1) }

    private func startDaemon(_ load: OpaquePointer, index: Int32, hasSlowDisk: Bool = false) throws -> Server {
        let socket = directory + "/daemon\(index)"
        let (gpsd, notify, state) = (socket + "-gpsd", directory + "/notify", directory + "/state\(index)")
        mkdir(state, 0o700)
        guard load_listen(load, index, gpsd) else { throw BenchmarkError.noGPSD }
        let service = notify_listen(notify)
        guard service >= 0 else { throw BenchmarkError.unreadable(notify) }
        defer { close(service) }
        let start = monotonic_now()
        let process = self.start(
            [
                "\(programs)/locationd", "--config", configuration, "--socket", socket,
                "--state-directory", state, "--gpsd", gpsd,
            ], notifying: notify, preloading: hasSlowDisk ? "\(programs)/libSlowSync.so" : nil)
        let ready = notify_wait_ready(service, 10)
        var server = Server(process: process, socket: socket, load: load, index: index)
        guard ready >= 0 else {
            server.end()
            throw BenchmarkError.noStart("locationd", log: (try? TextFile.read(log)) ?? "")
        }
        server.timeToReady = Double(ready - start) / 1e6
        return server
    }

    /// Starts the broadcaster as the second server of the daemon's load, and waits until it listens.
    func startBroadcaster(beside daemon: Server, template: String) throws -> Server {
        let socket = directory + "/broadcaster"
        let (gpsd, file) = (socket + "-gpsd", socket + "-template")
        guard load_listen(daemon.load, 1, gpsd) else { throw BenchmarkError.noGPSD }
        try TextFile.write(template, to: file)
        unlink(socket)
        let process = start(["\(programs)/broadcaster", socket, gpsd, file])
        let server = Server(process: process, socket: socket, load: daemon.load, index: 1)
        do {
            let deadline = monotonic_now() + 5_000_000_000
            while access(socket, F_OK) != 0 {
                guard monotonic_now() < deadline else {
                    throw BenchmarkError.noStart("broadcaster", log: (try? TextFile.read(log)) ?? "")
                }
                try daemon.idle(0.01)
            }
            // It listens a moment after binding.
            try daemon.idle(0.1)
        } catch {
            server.end()
            throw error
        }
        return server
    }

    /// A delivery of the daemon with `@` in place of its time, for the broadcaster to send.
    func recordTemplate() throws -> String {
        let daemon = try startDaemon(load: 1)
        defer { daemon.end() }
        try daemon.subscribe(1)
        _ = try daemon.feed(interval: 0.1, warmup: 5, fixes: 5)
        guard let newest = load_newest_message(daemon.load, 0) else { throw BenchmarkError.noAnswer }
        let message = String(cString: newest)
        let key = #""timestamp":""#
        guard let range = message.firstRange(of: key),
            let end = message[range.upperBound...].firstIndex(of: "\"")
        else { throw BenchmarkError.noAnswer }
        return message[..<range.upperBound] + "@" + message[end...]
    }

    private func start(
        _ arguments: [String], notifying notify: String? = nil, preloading library: String? = nil
    ) -> pid_t {
        let strings = arguments.map { strdup($0) }
        defer { strings.forEach { free($0) } }
        let list = strings.map { UnsafePointer($0) } + [nil]
        return list.withUnsafeBufferPointer { list in
            log.withCString { log in
                var plan = process_plan(
                    arguments: list.baseAddress, notify_socket: nil, preload: nil, log: log, cpu: serverCPU,
                    descriptors: 32_768)
                let (socket, preload) = (notify.map { strdup($0) } ?? nil, library.map { strdup($0) } ?? nil)
                defer {
                    free(socket)
                    free(preload)
                }
                (plan.notify_socket, plan.preload) = (UnsafePointer(socket), UnsafePointer(preload))
                return process_start(&plan)
            }
        }
    }
}
