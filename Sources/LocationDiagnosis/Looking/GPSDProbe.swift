import FoundationEssentials
import Glibc

/// Asks a gpsd directly, and listens until every receiver it has has a fix or the time is up.
package struct GPSDProbe {
    /// What it said.
    package private(set) var answer = GPSDCheck.Answer.silent
    /// What its receivers said; `nil` when it has not said which there are.
    package private(set) var receivers: [ReceiverReport]?

    /// A line longer than this is passed over; gpsd's own limit for one message is 10,240 bytes (`GPS_JSON_RESPONSE_MAX`).
    private static let maximumLength = 16 * 1024

    /// Asks for at most so many seconds.
    package static func ask(_ address: GPSDCheck.Address, seconds: Int = ReceiversCheck.listeningTime) -> GPSDProbe {
        var probe = GPSDProbe()
        let deadline = Self.now + Double(seconds)
        do throws(SocketFailure) {
            let socket = try StreamSocket.connect(to: address, deadline: deadline)
            defer { close(socket) }
            probe.listen(to: socket, until: deadline)
        } catch {
            probe.answer = .init(error, isFile: { if case .unix = address { true } else { false } }())
        }
        return probe
    }

    private mutating func listen(to socket: Int32, until deadline: Double) {
        StreamSocket.send(#"?WATCH={"enable":true,"json":true};"# + "\n", on: socket)
        var pending: [UInt8] = []
        while !isSatisfied {
            guard let bytes = StreamSocket.receive(from: socket, deadline: deadline) else { return }
            if bytes.isEmpty {
                if answer == .silent { answer = .closedAtOnce }
                return
            }
            pending += bytes
            while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                if end <= Self.maximumLength { hear(pending[..<end], at: Self.clock) }
                pending.removeSubrange(...end)
                if answer == .notGPSD { return }
            }
            if pending.count > Self.maximumLength, answer == .silent {
                answer = .notGPSD
                return
            }
        }
    }

    /// Nothing that is still to come would change the findings.
    private var isSatisfied: Bool {
        guard let receivers else { return false }
        return receivers.allSatisfy { $0.mode.rawValue >= ReceiverReport.Mode.fix2D.rawValue && $0.clockOffset != nil }
    }

    /// Takes in a line that arrived when the machine's clock showed `clock` seconds since 1970.
    mutating func hear(_ line: ArraySlice<UInt8>, at clock: Double) {
        guard let message = try? JSONDecoder().decode(Message.self, from: Data(line)) else {
            // What begins with something else is no gpsd. One that does, and says something odd later, is one.
            if answer == .silent { answer = .notGPSD }
            return
        }
        switch message.class {
        case "VERSION": answer = .release(message.release ?? "")
        case "DEVICES":
            receivers = receivers ?? []
            for device in message.devices ?? [] { note(device) }
        case "DEVICE": note(Message.Device(path: message.path, driver: message.driver))
        case "TPV":
            update(message.device) { receiver in
                receiver.mode = message.mode.flatMap { ReceiverReport.Mode(rawValue: $0) } ?? .unknown
                if let time = message.time.flatMap({ try? Date($0, strategy: .iso8601.fractional) }) {
                    receiver.clockOffset = clock - time.timeIntervalSince1970
                }
            }
        case "SKY":
            guard let satellites = message.satellites else { return }
            update(message.device) { receiver in
                receiver.satellitesSeen = satellites.count
                receiver.satellitesUsed = satellites.count { $0.used ?? false }
                receiver.strongestSignal = satellites.compactMap(\.ss).max()
            }
        default: break
        }
    }

    private mutating func note(_ device: Message.Device) {
        update(device.path) { $0.driver = device.driver ?? $0.driver }
    }

    private mutating func update(_ device: String?, _ change: (inout ReceiverReport) -> Void) {
        var all = receivers ?? []
        let index = all.firstIndex { $0.device == device } ?? all.endIndex
        if index == all.endIndex { all.append(ReceiverReport(device: device)) }
        change(&all[index])
        receivers = all
    }

    private static var now: Double { StreamSocket.seconds(of: CLOCK_MONOTONIC) }
    private static var clock: Double { StreamSocket.seconds(of: CLOCK_REALTIME) }
}

extension GPSDCheck.Answer {
    fileprivate init(_ failure: SocketFailure, isFile: Bool) {
        self =
            switch failure {
            case .timedOut: .silent
            case .noSuchHost(let reason): .failed(reason)
            case .system(ECONNREFUSED): .refused
            case .system(ENOENT) where isFile, .system(ENOTDIR) where isFile: .noSuchSocket
            case .system(EACCES), .system(EPERM): .noPermission
            case .system(let code): .failed(String(cString: strerror(code)))
            }
    }
}

extension Date.ISO8601FormatStyle {
    /// `2026-11-21T08:30:00.000Z`, as gpsd writes times.
    fileprivate var fractional: Date.ISO8601FormatStyle { year().month().day().time(includingFractionalSeconds: true) }
}

/// The members of gpsd's messages that are of use here: <https://gpsd.gitlab.io/gpsd/gpsd_json.html>.
private struct Message: Decodable {
    struct Device: Decodable {
        var path: String?
        var driver: String?
    }

    struct Satellite: Decodable {
        var ss: Double?
        var used: Bool?
    }

    var `class`: String
    var release: String?
    var devices: [Device]?
    var path: String?
    var driver: String?
    var device: String?
    var mode: Int?
    var time: String?
    var satellites: [Satellite]?
}
