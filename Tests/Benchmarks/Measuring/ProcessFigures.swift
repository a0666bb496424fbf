/// What the kernel says of a process.
package struct ProcessFigures {
    private let directory: String

    package init(of process: Int32) { directory = "/proc/\(process)" }

    /// A figure of `smaps_rollup`, such as `Pss`, in bytes.
    package func memory(_ name: String) throws -> Int { try figure("\(name):", in: "smaps_rollup") * 1024 }

    /// How many descriptors it has.
    package func descriptors() throws -> Int { try TextFile.names(in: directory + "/fd").count }

    /// How many descriptors it may have.
    package func descriptorLimit() throws -> Int { try figure("Max open files", in: "limits") }

    /// How many threads it has.
    package func threads() throws -> Int { try TextFile.names(in: directory + "/task").count }

    /// How often its threads have been switched to and from.
    package func contextSwitches() throws -> Int {
        try TextFile.names(in: directory + "/task").reduce(0) { sum, thread in
            // A thread may have ended meanwhile.
            guard let voluntary = try? figure("voluntary_ctxt_switches:", in: "task/\(thread)/status"),
                let other = try? figure("nonvoluntary_ctxt_switches:", in: "task/\(thread)/status")
            else { return sum }
            return sum + voluntary + other
        }
    }

    /// The number behind `name` at the beginning of a line.
    private func figure(_ name: String, in file: String) throws -> Int {
        let path = directory + "/" + file
        for line in try TextFile.read(path).split(separator: "\n") where line.hasPrefix(name) {
            let word = line.dropFirst(name.count).split(whereSeparator: \.isWhitespace).first
            if let number = word.flatMap({ Int($0) }) { return number }
        }
        throw TextFile.Unreadable(path: path)
    }
}
