/// The kernel's figures about a process.
package struct ProcessFigures {
    private let directory: String

    package init(of process: Int32) { directory = "/proc/\(process)" }

    /// A figure of `smaps_rollup`, such as `Pss`, in bytes.
    package func memory(_ name: String) throws -> Int { try figure("\(name):", in: "smaps_rollup") * 1024 }

    /// The number of descriptors.
    package func descriptors() throws -> Int { try TextFile.names(in: directory + "/fd").count }

    /// The limit of descriptors.
    package func descriptorLimit() throws -> Int { try figure("Max open files", in: "limits") }

    /// The number of threads.
    package func threads() throws -> Int { try TextFile.names(in: directory + "/task").count }

    /// The number of context switches of its threads.
    package func contextSwitches() throws -> Int {
        try TextFile.names(in: directory + "/task").reduce(0) { sum, thread in
            // The thread may have ended meanwhile.
            guard let voluntary = try? figure("voluntary_ctxt_switches:", in: "task/\(thread)/status"),
                let other = try? figure("nonvoluntary_ctxt_switches:", in: "task/\(thread)/status")
            else { return sum }
            return sum + voluntary + other
        }
    }

    /// The number after `name` at the beginning of a line.
    private func figure(_ name: String, in file: String) throws -> Int {
        let path = directory + "/" + file
        for line in try TextFile.read(path).split(separator: "\n") where line.hasPrefix(name) {
            let word = line.dropFirst(name.count).split(whereSeparator: \.isWhitespace).first
            if let number = word.flatMap({ Int($0) }) { return number }
        }
        throw TextFile.Unreadable(path: path)
    }
}
