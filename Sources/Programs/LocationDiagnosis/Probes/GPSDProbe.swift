package import GPSDProtocol
import FoundationEssentials
import Glibc
import LocationInterface

/// Asks gpsd directly, and observes its receivers until all have a fix or the time is up.
///
/// It does not use the service's connection (`GPSDConnection` in `LocationSources`), which reconnects by itself and hides
/// what matters here: a refused connection, a closed one, silence, or another program at the address.
package struct GPSDProbe {
    /// The result.
    package private(set) var answer = GPSDCheck.Answer.silent
    /// The reports of its receivers; `nil` before gpsd has listed them.
    package private(set) var receivers: [ReceiverReport]?

    /// Nothing was asked.
    package init() {}

    /// Asks gpsd and observes its receivers for at most this time.
    ///
    /// - Parameter startingSeconds: the time while gpsd does not answer yet, or opens a receiver.
    package static func ask(
        _ address: GPSDAddress, seconds: Int = ReceiversCheck.listeningTime,
        startingSeconds: Int = ReceiversCheck.startingTime
    ) -> GPSDProbe {
        var probe = GPSDProbe()
        let start = Self.now
        do throws(SocketFailure) {
            let socket = try StreamSocket.connect(to: address, deadline: start + Double(startingSeconds))
            defer { close(socket) }
            probe.listen(to: socket) { start + Double($0.isStarting ? startingSeconds : seconds) }
        } catch {
            probe.answer = .init(error, isFile: { if case .unix = address { true } else { false } }())
        }
        return probe
    }

    private mutating func listen(to socket: Int32, until deadline: (GPSDProbe) -> Double) {
        StreamSocket.send(GPSDCommand.watch + "\n", on: socket)
        var pending: [UInt8] = []
        while !isSatisfied {
            guard let bytes = StreamSocket.receive(from: socket, deadline: deadline(self)) else { return }
            if bytes.isEmpty {
                if answer == .silent { answer = .closedAtOnce }
                return
            }
            pending += bytes
            while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                if end <= GPSDLine.maximumLength { hear(pending[..<end], at: Self.clock) }
                pending.removeSubrange(...end)
                if answer == .notGPSD || answer == .locationService { return }
            }
            if pending.count > GPSDLine.maximumLength, answer == .silent {
                answer = .notGPSD
                return
            }
        }
    }

    /// True while gpsd does not answer, or has not recognized a receiver.
    var isStarting: Bool {
        guard answer != .silent else { return true }
        return receivers?.contains { $0.driver == nil && $0.mode == .unknown } ?? true
    }

    /// True if further reports would not change the findings.
    private var isSatisfied: Bool {
        guard let receivers else { return false }
        return receivers.allSatisfy { [.fix2D, .fix3D].contains($0.mode) && $0.clockOffset != nil }
    }

    /// Handles a line that arrived at `clock`, in seconds since 1970 by this machine's clock.
    mutating func hear(_ line: ArraySlice<UInt8>, at clock: Double) {
        guard let message = try? GPSDLine(Array(line)) else {
            // The first line of gpsd is a message. Later lines that cannot be parsed are ignored.
            if answer == .silent { answer = .notGPSD }
            return
        }
        switch message {
        case .version(_, GPSDReply.ownRevision): answer = .locationService
        case .version(let release, _): answer = .release(release)
        case .devices(let devices):
            receivers = receivers ?? []
            for device in devices { note(device) }
        case .device(let device): note(device)
        case .position(let position):
            update(position.device) { receiver in
                receiver.mode =
                    switch position.mode {
                    case 1: .noFix
                    case 2: .fix2D
                    case 3: .fix3D
                    default: .unknown
                    }
                if let time = position.time.flatMap({ try? Date($0, strategy: .iso8601.fractional) }) {
                    receiver.clockOffset = clock - time.timeIntervalSince1970
                }
            }
        case .sky(let sky):
            guard let satellites = sky.satellites else { return }
            update(sky.device) { receiver in
                receiver.satellitesSeen = satellites.count
                receiver.satellitesUsed = satellites.count { $0.isUsed }
                receiver.satellites = satellites.map { .init(number: $0.number, isUsed: $0.isUsed, signal: $0.ss) }
            }
        case .attitude, .error, .other: break
        }
    }

    private mutating func note(_ device: GPSDLine.Device) {
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
    /// The format of gpsd's times: `2026-11-21T08:30:00.000Z`.
    fileprivate var fractional: Date.ISO8601FormatStyle { year().month().day().time(includingFractionalSeconds: true) }
}
