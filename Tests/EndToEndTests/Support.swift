import FoundationEssentials
import Glibc
import LocationInterface
import LocationModel
import NIOCore
import NIOPosix
import TestSupport
import Testing

/// A reply to a raw call.
struct Reply<Parameters: Decodable>: Decodable {
    var parameters: Parameters?
    var error: String?
}

/// The parameters of the errors that are looked at.
struct ErrorParameters: Decodable {
    var parameter: String?
    var limit: String?
    var value: Int?
    var message: String?
    var executable: String?
}

extension Wire {
    func call(_ method: String, _ parameters: String = "{}", more: Bool = false) async {
        let call = #"{"method":"org.locationd.\#(method)","parameters":\#(parameters),"more":\#(more)}"# + "\0"
        await send(call)
    }

    func reply<Parameters: Decodable>(_ type: Parameters.Type) async throws -> Reply<Parameters> {
        try json(#require(await receive(), "the connection has ended"), as: Reply<Parameters>.self)
    }

    /// Reads a subscription until so many locations have come. Each of the track is delivered or counted as skipped, in the
    /// track's order, also where it begins again. On a busy machine the track can be late, and its receiver silent until then.
    func expectWhole(locations: Int) async throws {
        var (last, skipped, count): (Int?, Int, Int) = (nil, 0, 0)
        while count < locations {
            let reply = try await reply(LocationInterface.Subscribe.Reply.self)
            let update = try #require(reply.parameters, "\(reply.error ?? "")")
            skipped += update.skipped ?? 0
            guard let location = update.location else {
                try #require(update.cause?.reason == .receiverSilent, "\(update)")
                continue
            }
            let place = DaemonSite.placeInTrack(latitude: location.coordinate.latitude)
            if let last { #expect(place == (last + 1 + skipped) % DaemonSite.trackLength) }
            (last, skipped, count) = (place, 0, count + 1)
        }
    }

    /// Opens a `Subscribe` call and waits for its first location.
    func subscribe() async throws {
        await call("Location.Subscribe", more: true)
        try await waiting(for: "the first location") {
            while try await reply(LocationInterface.Subscribe.Reply.self).parameters?.location == nil { continue }
        }
    }

    /// The state of the service, of a connection that is there already: no place in the queue is needed.
    func status() async throws -> ManagerInterface.GetServiceStatus.Reply {
        await call("Manager.GetServiceStatus")
        return try #require(try await reply(ManagerInterface.GetServiceStatus.Reply.self).parameters)
    }

    /// The state of the service once it is as expected.
    @discardableResult
    func status(
        _ what: String, once isExpected: (ManagerInterface.GetServiceStatus.Reply) throws -> Bool
    ) async throws -> ManagerInterface.GetServiceStatus.Reply {
        try await statusOnce(what, isExpected, asking: status)
    }

    /// Waits until the service's process has no more descriptors than that.
    func descriptors(of process: pid_t, atMost count: Int) async throws {
        try await status("at most \(count) descriptors") { _ in try ProcessUsage.descriptors(of: process) <= count }
    }
}

/// Asks for the state of the service until it is as expected: what a peer's end changes is seen when the service gets to it,
/// and nothing outside its process tells of that.
private func statusOnce(
    _ what: String, _ isExpected: (ManagerInterface.GetServiceStatus.Reply) throws -> Bool,
    asking status: () async throws -> ManagerInterface.GetServiceStatus.Reply
) async throws -> ManagerInterface.GetServiceStatus.Reply {
    while true {
        let current = try await waiting(for: what, status)
        if try isExpected(current) { return current }
        do {
            try await pass(.milliseconds(20))
        } catch {
            throw AwaitedInVain(what, because: "the last status was \(current)")
        }
    }
}

func json<Value: Decodable>(_ text: String, as type: Value.Type) throws -> Value {
    try JSONDecoder().decode(type, from: Data(text.utf8))
}

extension DaemonSite {
    func locationctl(_ arguments: [String]) async throws -> ChildProcess.Result {
        try await ChildProcess.run([Products.locationctl] + arguments, environment: ["LOCATIOND_SOCKET": socket])
    }

    /// A connection with an open `Subscribe` call that has delivered its first location.
    func subscribe() async throws -> Wire {
        let wire = try await Wire.connect(to: socket)
        try await wire.subscribe()
        return wire
    }

    func status() async throws -> ManagerInterface.GetServiceStatus.Reply {
        let wire = try await Wire.connect(to: socket)
        let status = try await wire.status()
        await wire.close()
        return status
    }

    /// The state of the service once it is as expected.
    @discardableResult
    func status(
        _ what: String, once isExpected: (ManagerInterface.GetServiceStatus.Reply) -> Bool
    ) async throws -> ManagerInterface.GetServiceStatus.Reply {
        try await statusOnce(what, isExpected, asking: status)
    }

    /// Runs a test with a daemon that replays the track.
    static func run(_ test: (DaemonProcess) async throws -> Void) async throws {
        let daemon = try await DaemonSite().start()
        try await test(daemon)
        #expect(try await daemon.stop().code == 0)
    }
}

extension ChildProcess {
    /// The next line of its errors, but for what says that this machine has been busy.
    func nextError() async throws -> String? {
        while let line = try await errors.receive() {
            if !line.hasPrefix("Missed ") { return line }
        }
        return nil
    }
}

extension ChildProcess.Result {
    /// A program that does not write to a terminal writes no control sequences.
    var isPlain: Bool {
        (output + errors).unicodeScalars.allSatisfy { $0 == "\n" || $0.properties.generalCategory != .control }
    }
}

/// What the kernel says of a process.
struct ProcessUsage {
    /// In ticks of the clock.
    var processorTime = 0
    /// How often its event loops woke up.
    var wakeUpsOfLoops = 0
    /// How often its other threads did.
    var otherWakeUps = 0
    /// In KiB.
    var residentSize = 0
    /// In KiB; what RLIMIT_AS bounds.
    var virtualSize = 0

    init(of processID: pid_t) throws {
        let directory = "/proc/\(processID)"
        // After the name, which is in parentheses, user and system time are the 12th and 13th.
        let times = try Self.read(directory + "/stat").split(separator: ") ")[1].split(separator: " ")
        processorTime = (Int(times[11]) ?? 0) + (Int(times[12]) ?? 0)
        residentSize = try Self.field("VmRSS", of: directory)
        virtualSize = try Self.field("VmSize", of: directory)
        for thread in try FileManager.default.contentsOfDirectory(atPath: directory + "/task") {
            let thread = directory + "/task/" + thread
            // One that ends meanwhile has no file. The processor time tells of what it did.
            guard let name = try? Self.read(thread + "/comm"),
                let wakeUps = try? Self.field("voluntary_ctxt_switches", of: thread)
            else { continue }
            if name.hasPrefix("NIO") {
                wakeUpsOfLoops += wakeUps
            } else {
                otherWakeUps += wakeUps
            }
        }
    }

    /// How many descriptors a process has, apart from the journal of its database, which is opened at the first change.
    static func descriptors(of processID: pid_t) throws -> Int {
        let directory = "/proc/\(processID)/fd"
        return try FileManager.default.contentsOfDirectory(atPath: directory).count { name in
            // One that is closed meanwhile has no file.
            let file = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(directory)/\(name)")
            return file.map { !$0.hasSuffix("locationd.db-journal") } ?? false
        }
    }

    private static func read(_ file: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(filePath: file)), as: UTF8.self)
    }

    private static func field(_ name: String, of directory: String) throws -> Int {
        let line = try read(directory + "/status").split(separator: "\n").first { $0.hasPrefix(name + ":") }
        let number = try #require(line).drop { !$0.isNumber }.prefix { $0.isNumber }
        return try #require(Int(number))
    }
}
