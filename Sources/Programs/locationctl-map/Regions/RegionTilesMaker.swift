import Glibc
import MapTiles

/// Makes the tiles of an extract with tilemaker.
struct RegionTilesMaker {
    /// The directory with config.json and process.lua.
    let configuration: String
    let interruption: Interruption

    /// Makes the tiles at `target`.
    ///
    /// - Parameter report: Receives the completed part, 0 to 1.
    func make(_ extract: Extract, target: String, report: (Double) -> Void) throws(RegionError) {
        let arguments = [
            "--input", extract.path, "--output", target, "--bbox", extract.boundsText,
            "--config", "\(configuration)/config.json", "--process", "\(configuration)/process.lua",
            // In a file, the data take a quarter of the memory, which the kernel can reclaim besides, and no more time.
            "--store", "\(target).store",
        ]
        var rest = ""
        try RegionTool.tilemaker.run(arguments, interruption: interruption) { (bytes) throws(RegionError) in
            rest += String(decoding: bytes, as: UTF8.self)
            for line in rest.split(whereSeparator: { $0 == "\r" || $0 == "\n" || $0 == "\r\n" }) {
                if let part = Self.progress(in: line) { report(part) }
            }
            rest = String(rest.suffix(200).drop { $0 != "\r" && $0 != "\n" })
        }
    }

    /// Returns the completed part in a line of output: `Block 3/11 …`, then `Zoom level 14, writing tile 78 of 178`.
    static func progress(in line: Substring) -> Double? {
        let words = line.split { " ,".contains($0) }
        if words.count > 1, words[0] == "Block" {
            let numbers = words[1].split(separator: "/").compactMap { Double($0) }
            return numbers.count == 2 && numbers[1] > 0 ? 0.35 * min(1, numbers[0] / numbers[1]) : nil
        }
        guard words.count > 2, words[0] == "Zoom", let of = words.lastIndex(of: "of"), of > 0, of + 1 < words.count,
            let done = Double(words[of - 1]), let all = Double(words[of + 1]), all > 0
        else { return nil }
        return 0.35 + 0.65 * min(1, done / all)
    }
}
