import CGPS
import LocationModel
import NIOCore

/// Understands gpsd's lines with gpsd's own library: `gps_unpack` of libgps.
///
/// libgps trusts gpsd. Version 3.22 loops for ever on malformed JSON, but also on well-formed lines: after any error it
/// goes on behind the place of the error, looks for the next `"class":` from there and, if that is not at the beginning
/// of an object, never moves again. A nested object in a place where it knows of none is such an error, and so is the
/// fifth entry of a DEVICES message. So no line is ever passed on as it came: it is decoded strictly, and libgps gets a
/// line that was written here. That line begins with its class, is flat but for the satellites of a SKY message, and
/// has known members of the right types only; `"class":` occurs nowhere else in it, since quotes within strings are
/// escaped. Whatever libgps thinks of it, there is nothing behind to go on with.
///
/// What libgps decides is what measurements mean: TPV, SKY and ATT. VERSION, DEVICES, DEVICE and ERROR are a few names
/// that need no interpretation and are used as decoded.
final class GPSDUnpacker {
    /// On the heap: the struct has 24 KB.
    private let data: UnsafeMutablePointer<gps_data_t>
    private var rewritten = LibGPSLine()

    init() {
        data = .allocate(capacity: 1)
        data.initialize(to: gps_data_t())
    }

    deinit {
        data.deallocate()
    }

    /// What `line` says; `arrival` stands in where a receiver does not know the time.
    func report(_ line: ByteBuffer, arrival: Timestamp) throws(GPSDLineError) -> GPSDReport {
        switch try GPSDLine(line) {
        case .version(let version):
            return .version(version)
        case .devices(let devices):
            return .devices(devices.filter { isPossible($0.path) })
        case .device(let device):
            guard isPossible(device.path) else { throw .notProtocol }
            return .device(device)
        case .position(let position):
            rewritten.write(position)
            try unpack(device: position.device)
            return .position(PositionReport(data.pointee.fix, device: position.device, arrival: arrival))
        case .sky(let sky):
            rewritten.write(sky)
            try unpack(device: sky.device)
            let used = sky.satellites.map { _ in Int(data.pointee.satellites_used) }
            let seen = sky.satellites.map { _ in Int(data.pointee.satellites_visible) }
            return .sky(SkyReport(device: sky.device, satellitesUsed: used, satellitesSeen: seen))
        case .attitude(let attitude):
            rewritten.write(attitude)
            try unpack(device: attitude.device)
            let heading = Heading(data.pointee.attitude, device: attitude.device, arrival: arrival)
            return heading.map { .attitude($0) } ?? .other("ATT")
        case .error(let message):
            return .error(message)
        case .other(let name):
            return .other(name)
        }
    }

    /// Whether libgps would take this for the name of a receiver.
    private func isPossible(_ device: String) -> Bool { device.utf8.count < Int(GPS_PATH_MAX) }

    /// Has libgps fill `data` from `rewritten`, which is about `device`.
    private func unpack(device: String?) throws(GPSDLineError) {
        // A longer name would end the parse there, and a shortened one could be another receiver's.
        guard isPossible(device ?? "") else { throw .notProtocol }
        // What a message does not mention must not be what the last one said. The rest of the 24 KB is never looked at.
        gps_clear_fix(&data.pointee.fix)
        gps_clear_att(&data.pointee.attitude)
        data.pointee.satellites_used = 0
        data.pointee.satellites_visible = 0
        // The status is of no use: 0 even for garbage. What was not understood stays unknown.
        rewritten.withCString { _ = gps_unpack($0, data) }
    }
}
