import GPSDProtocol
import LocationModel
import LocationTracks
import NIOCore

@testable import LocationSources

/// gpsd's stream, from bytes to published events, through libgps. Lines that begin with `#` are instructions for other
/// events.
enum GPSDFuzz {
    static func run(_ input: [UInt8]) throws {
        try lines(of: input) { frames in
            var watch = TrackerWatch()
            for frame in frames {
                guard case .line(let line) = frame else { continue }
                let bytes = Array(line.readableBytesView)
                if bytes.first == UInt8(ascii: "#") {
                    for pair in stride(from: 1, to: bytes.count - 1, by: 2) {
                        try watch.perform(bytes[pair], argument: bytes[pair + 1])
                    }
                } else {
                    try watch.receive(line)
                }
            }
            try watch.finish()
        }
        try replay(input)
    }

    /// Splits the stream like the connection, and checks the limits of the pieces.
    private static func lines(of input: [UInt8], _ body: ([GPSDLineDecoder.InboundOut]) throws -> Void) throws {
        let decoder = NIOSingleStepByteToMessageProcessor(GPSDLineDecoder())
        var frames: [GPSDLineDecoder.InboundOut] = []
        // Pieces of varying size, like reads of a socket.
        var (rest, size) = (input[...], 1)
        while !rest.isEmpty {
            try decoder.process(buffer: ByteBuffer(bytes: rest.prefix(size))) { frames.append($0) }
            rest = rest.dropFirst(size)
            size = size * 3 % 4093
        }
        for case .line(let line) in frames {
            try Finding.unless(line.readableBytes <= GPSDLine.maximumLength, "a line is longer than allowed")
        }
        try body(frames)
    }

    /// Replays the input as a recording.
    private static func replay(_ input: [UInt8]) throws {
        let track: RecordedTrack
        do throws(TrackError) {
            track = try RecordedTrack(name: "fuzz", file: "F", bytes: input)
        } catch {
            return
        }
        try PlayedTrack.check(track)
    }
}

/// Checks the events of `ReceiverTracker`.
private struct TrackerWatch {
    private let unpacker = GPSDUnpacker()
    private var tracker = ReceiverTracker(preferredDevices: ["/dev/gps1"])
    private var now = NIODeadline.uptimeNanoseconds(1_000_000_000)
    private var isNeeded = false
    private var reason: UnavailableReason?

    /// Performs an instruction between two lines.
    mutating func perform(_ instruction: UInt8, argument: UInt8) throws {
        switch instruction {
        case UInt8(ascii: "n"):
            let needed = argument != UInt8(ascii: "0")
            if needed != isNeeded { reason = nil }
            isNeeded = needed
            tracker.setNeeded(needed, at: now)
        case UInt8(ascii: "c"): try note(tracker.setConnected(argument != UInt8(ascii: "0"), 0, at: now))
        case UInt8(ascii: "t"): try advance(by: .milliseconds(Int64(argument) * Int64(argument)))
        default: break
        }
    }

    mutating func receive(_ line: ByteBuffer) throws {
        try advance(by: .milliseconds(50))
        guard case .report(let report) = try? unpacker.message(line, arrival: .afterStart(now)) else { return }
        if case .position(let position) = report, let location = position.location { try LocationCheck.check(location) }
        try note(tracker.receive(report, from: 0, at: now))
        let status = tracker.status(of: 0, at: now)
        try Finding.unless(status.count <= ReceiverTracker.maximumReceivers, "too many receivers are remembered")
    }

    mutating func finish() throws {
        try advance(by: .hours(2))
        if isNeeded { try Finding.unless(reason != nil, "nobody heard that the locations had ended") }
    }

    /// Advances the clock, with a tick at each deadline of the tracker.
    private mutating func advance(by time: TimeAmount) throws {
        let end = now + time
        while let deadline = tracker.nextDeadline, deadline <= end {
            now = max(now, deadline)
            try note(tracker.tick(at: now))
            let next = tracker.nextDeadline
            try Finding.unless(next.map { $0 > now } ?? true, "the timer runs without end")
        }
        now = end
    }

    private mutating func note(_ events: [SourceEvent]) throws {
        for event in events {
            try Finding.unless(isNeeded, "something was told that nobody needed")
            switch event {
            case .location(let location):
                reason = nil
                try LocationCheck.check(location)
            case .heading(let heading):
                try Finding.unless((0..<360).contains(heading.trueHeading), "a heading of \(heading.trueHeading)°")
            case .unavailable(let new):
                try Finding.unless(new != reason, "the reason for having no location was reported twice")
                reason = new
            }
        }
    }
}
