import FoundationEssentials
import Glibc
import TestSupport

/// A running `locationctl map` and its pages.
final class MapProgram {
    let process: ChildProcess
    private(set) var pages: [Wire] = []
    private let port: Int
    private let root: String
    private let cookie: String
    private let poster: Wire

    /// Starts the program with this many waypoints around the track of the daemon at `site`.
    init(site: DaemonSite, waypoints: Int) async throws {
        var gpx = #"<gpx xmlns="http://www.topografix.com/GPX/1/1" version="1.1" creator="benchmark">"#
        for index in 0..<waypoints {
            let (north, east) = (Double(index * 7919 % 10_007) / 10_007, Double(index * 104_729 % 10_009) / 10_009)
            gpx +=
                #"<wpt lat="\#(DaemonSite.latitude + north)" lon="\#(DaemonSite.longitude + east)"><name>\#(index)</name></wpt>"#
        }
        let file = site.directory.path + "/waypoints.gpx"
        try (gpx + "</gpx>").write(toFile: file, atomically: true, encoding: .utf8)
        process = try await ChildProcess(
            [Products.locationctlMap, "--socket", site.socket, "--mode", "none", file],
            environment: ProcessInfo.processInfo.environment)
        guard let address = try await process.output.receive() else {
            throw Failure(reason: "the map has not begun: \(try await process.errors.rest())")
        }
        let parts = address.split(separator: "/").map(String.init)
        port = Int(parts[1].split(separator: ":")[1]) ?? 0
        root = "/\(parts[2])/"
        let entry = try await Wire.connect(toPort: port)
        await entry.send(
            "GET \(root)enter/\(parts[4]) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n\r\n")
        var cookie = ""
        while let line = try await entry.receive() {
            if line.hasPrefix("Set-Cookie: ") { cookie = String(line.dropFirst(12).prefix { $0 != ";" }) }
        }
        self.cookie = cookie
        poster = try await Wire.connect(toPort: port)
    }

    struct Failure: Error { let reason: String }

    /// Opens another page, and reads its state.
    func open() async throws {
        let wire = try await Wire.connect(toPort: port)
        await wire.send("GET \(root)events HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nCookie: \(cookie)\r\n\r\n")
        let state = try await Self.next("state", from: wire)
        pages.append(wire)
        guard pages.count == 1 else { return }
        page = Self.member("page", of: state)
        try await post(#"{"type":"viewport","width":1280,"height":800}"#)
    }

    private var page = ""

    /// Reads the events of all pages for a while. Returns the ages of the newest frames on arrival, in milliseconds,
    /// and the program's share of a core.
    func follow(seconds: Double) async throws -> (delays: [Double], share: Double) {
        let (start, before) = (Self.now, try cpuTime())
        let delays = try await withThrowingTaskGroup(of: [Double].self) { group in
            for wire in pages {
                group.addTask {
                    var delays: [Double] = []
                    while Self.now - start < seconds * 1000 {
                        let user = try await Self.next("user", from: wire)
                        if let sent = Double(Self.member("at", of: user)) { delays.append(Self.now - sent) }
                    }
                    return delays
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        // Without events that had been waiting.
        let fresh = delays.filter { $0 < 1000 }
        return (fresh, (try cpuTime() - before) / ((Self.now - start) / 1000))
    }

    /// Moves the map to other places and zooms. Returns the times until the new views arrive, in milliseconds.
    func moveCamera(times: Int) async throws -> [Double] {
        var delays: [Double] = []
        let wire = pages[0]
        for index in 0..<times {
            let zoom = 8 + Double(index % 12) * 0.6
            let longitude = DaemonSite.longitude + Double(index % 7) / 7
            let latitude = DaemonSite.latitude + Double(index % 5) / 5
            let start = Self.now
            async let views = Self.next("views", from: wire)
            try await post(
                #"{"type":"camera","center":[\#(longitude),\#(latitude)],"zoom":\#(zoom),"heading":0,"pitch":0,"#
                    + #""isMoving":false,"cause":"control"}"#)
            _ = try await views
            delays.append(Self.now - start)
        }
        return delays
    }

    /// Stops the program. Returns the time it takes, in milliseconds.
    func end() async throws -> Double {
        let start = Self.now
        process.signal(SIGTERM)
        _ = try await process.exitCode()
        return Self.now - start
    }

    private func post(_ message: String) async throws {
        let body = #"{"page":"\#(page)","messages":[\#(message)]}"#
        await poster.send(
            "POST \(root)messages HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nOrigin: http://127.0.0.1:\(port)\r\nCookie: \(cookie)\r\n"
                + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        guard let status = try await poster.receive(), status.contains(" 204 ") else {
            throw Failure(reason: "a message was refused")
        }
        while let line = try await poster.receive(), line != "\r" {}
    }

    /// The data of the next event with this name.
    private static func next(_ name: String, from wire: Wire) async throws -> String {
        var isWanted = false
        while let line = try await wire.receive() {
            if line.hasPrefix("event: ") { isWanted = line == "event: \(name)" }
            if isWanted, line.hasPrefix("data: ") { return String(line.dropFirst(6)) }
        }
        throw Failure(reason: "the map has ended")
    }

    /// A number or text of an object, at any depth.
    private static func member(_ name: String, of object: String) -> String {
        guard let start = object.firstRange(of: "\"\(name)\":")?.upperBound else { return "" }
        return String(object[start...].drop { $0 == "\"" }.prefix { !"\",}".contains($0) })
    }

    /// Milliseconds since 1970.
    private static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec) * 1000 + Double(time.tv_nsec) / 1e6
    }

    /// The processor time of the program so far, in seconds (proc(5), /proc/pid/stat).
    private func cpuTime() throws -> Double {
        let text = try String(contentsOfFile: "/proc/\(process.processID)/stat", encoding: .utf8)
        let fields = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ")
        guard fields.count > 13, let user = Double(fields[12]), let system = Double(fields[13]) else {
            throw Failure(reason: "/proc/\(process.processID)/stat is not as it should be")
        }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }
}
