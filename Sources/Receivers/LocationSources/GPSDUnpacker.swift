import GPSDProtocol
import CGPS
import LocationModel
import NIOCore

/// Interprets gpsd's lines with gpsd's own library: `gps_unpack` of libgps.
///
/// libgps trusts gpsd. Version 3.22 loops forever on malformed JSON, but also on well-formed lines: after any error it
/// continues behind the place of the error, looks for the next `"class":` from there and, if that is not at the
/// beginning of an object, never advances. A nested object where it expects none is such an error, and so is the fifth
/// entry of a DEVICES message. So no line is passed on as it came: it is decoded strictly, and libgps gets a line that
/// was written here. That line begins with its class, is flat but for the satellites of a SKY message, and has known
/// members of the right types only; `"class":` occurs nowhere else in it, because quotes within strings are escaped. So
/// even after an error nothing follows for it to continue with.
///
/// This costs nothing: to write a TPV of 390 bytes takes 1.0 µs, and libgps then reads it in 2.9 µs instead of the 4.6 µs that the
/// line takes as it came because half of its members are gone.
///
/// libgps only interprets measurements: TPV, SKY and ATT. VERSION, DEVICES, DEVICE and ERROR need no interpretation and
/// are used as decoded.
final class GPSDUnpacker {
    /// On the heap, because the struct has 24 KB.
    private let data: UnsafeMutablePointer<gps_data_t>
    private var rewritten = LibGPSLine()

    init() {
        data = .allocate(capacity: 1)
        data.initialize(to: gps_data_t())
    }

    deinit {
        data.deallocate()
    }

    /// The message in `line`. `arrival` is used where the receiver's time is unknown.
    func message(_ line: ByteBuffer, arrival: Timestamp) throws(GPSDLineError) -> GPSDMessage {
        switch try GPSDLine(Array(line.readableBytesView)) {
        case .version(let release, _):
            return .version(release)
        case .devices(let devices):
            return .report(.receivers(devices.filter { isPossible($0.path) }.map(ReceiverDescription.init)))
        case .device(let device):
            guard isPossible(device.path) else { throw .notProtocol }
            return .report(.receiver(ReceiverDescription(device)))
        case .position(let position):
            rewritten.write(position)
            try unpack(device: position.device)
            var report = PositionReport(data.pointee.fix, device: position.device, arrival: arrival)
            // The oldest libgps that is supported does not know these.
            report.jamming = position.jam.flatMap { (0...255).contains($0) ? $0 : nil }
            report.hasAntennaFault = position.ant == 2 || position.ant == 3
            return .report(.position(report))
        case .sky(let sky):
            rewritten.write(sky)
            try unpack(device: sky.device)
            let used = sky.satellites.map { _ in Int(data.pointee.satellites_used) }
            let seen = sky.satellites.map { _ in Int(data.pointee.satellites_visible) }
            var report = SkyReport(device: sky.device, satellitesUsed: used, satellitesSeen: seen)
            // libgps passes these on as they are.
            report.satellites = (sky.satellites ?? []).prefix(SatelliteStatus.maximumCount).map {
                SatelliteStatus(number: $0.number, isUsed: $0.isUsed, signal: $0.ss)
            }
            (report.horizontalDilution, report.positionDilution) = (sky.hdop, sky.pdop)
            return .report(.sky(report))
        case .attitude(let attitude):
            rewritten.write(attitude)
            try unpack(device: attitude.device)
            let heading = Heading(data.pointee.attitude, device: attitude.device, arrival: arrival)
            return heading.map { .report(.heading($0)) } ?? .other("ATT")
        case .error(let message):
            return .error(message)
        case .other(let name):
            return .other(name)
        }
    }

    /// True if libgps accepts this as a device name.
    private func isPossible(_ device: String) -> Bool { device.utf8.count < Int(GPS_PATH_MAX) }

    /// Lets libgps fill `data` from `rewritten`, a report of `device`.
    private func unpack(device: String?) throws(GPSDLineError) {
        // A longer name would end the parse there, and a truncated one could be another receiver's.
        guard isPossible(device ?? "") else { throw .notProtocol }
        // Clear the members that a message may omit. The rest of the 24 KB is never read.
        gps_clear_fix(&data.pointee.fix)
        gps_clear_att(&data.pointee.attitude)
        data.pointee.satellites_used = 0
        data.pointee.satellites_visible = 0
        // The result is meaningless: 0 even for garbage. Members that were not understood stay unknown.
        rewritten.withCString { _ = gps_unpack($0, data) }
    }
}

extension ReceiverDescription {
    /// The content of a DEVICE message.
    fileprivate init(_ device: GPSDLine.Device) {
        self.init(device: device.path, driver: device.driver, isActivated: device.isActivated)
    }
}
