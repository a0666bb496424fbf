import FoundationEssentials
import POSIXSupport

/// The estimated cost of a region by the size of its extract, measured with extracts of 0.6 to 87 MB (`make
/// bench-map-add`).
struct Estimate: Hashable {
    /// The size of the extract, in bytes.
    let size: Int

    private var megabytes: Double { Double(size) / 1e6 }

    /// The time, in seconds.
    var seconds: Double { 2 + 0.9 * megabytes }
    /// The size of the region on disk, in bytes.
    var room: Int { 1_000_000 + Int(Double(size) * 2.4) }
    /// The temporary space on disk, in bytes: for the prepared extract and the input of the search index.
    var roomMeanwhile: Int { 10_000_000 + Int(Double(size) * 6) }
    /// The memory of the largest process, in bytes. Two thirds of it are pages of a file, which the kernel can reclaim.
    var memory: Int { 70_000_000 + Int(Double(size) * 6.5) }

    /// Throws if `directory` has less than this number of bytes free.
    static func requireRoom(_ bytes: Int, in directory: String, for path: String) throws(RegionError) {
        // A disk whose room is unknown is tried: the tools fail if it is full.
        guard let free = try? FreeSpace.bytes(at: directory), free < bytes else { return }
        throw RegionError(
            "\(path) needs about \(HumanReadable.size(bytes)) in \(directory) while it is made, and \(HumanReadable.size(free)) are free there. "
                + "Make room, or set XDG_DATA_HOME to a directory with more.")
    }
}

/// Sizes and times as text.
enum HumanReadable {
    static func size(_ bytes: Int) -> String {
        let units: [(Double, String)] = [(1e9, "GB"), (1e6, "MB"), (1e3, "kB")]
        guard let (unit, name) = units.first(where: { Double(bytes) >= $0.0 }) else { return "\(bytes) bytes" }
        let value = Double(bytes) / unit
        return "\(value < 9.95 ? "\((value * 10).rounded() / 10)" : "\(Int(value.rounded()))") \(name)"
    }

    static func time(_ seconds: Double) -> String {
        if seconds < 90 { return "\(Int(seconds.rounded(.up))) s" }
        if seconds < 5400 { return "\(Int((seconds / 60).rounded())) min" }
        return "\((seconds / 360).rounded() / 10) h"
    }
}
