import Glibc
import POSIXSupport
import PageServing

/// The lines that the command `locationctl map` prints while it works.
enum RegionCommandOutput {
    /// Starts the command; its lines end with it.
    static func start(_ command: [String]) throws(Errno) -> (lines: AsyncStream<String>, process: pid_t) {
        let (reading, writing) = try DescriptorIO.pipe()
        defer { close(writing) }
        let process: pid_t
        do throws(Errno) {
            process = try ProgramLaunch(command, descriptors: [STDERR_FILENO: writing]).start()
        } catch {
            close(reading)
            throw error
        }
        let (lines, continuation) = AsyncStream<String>.makeStream(bufferingPolicy: .bufferingNewest(100))
        // An unstructured task, because reading outlasts this call; it ends with the command.
        Task {
            // The thread pool is never shut down.
            try? await FileWork.regions.run { read(reading) { continuation.yield($0) } }
            continuation.finish()
        }
        return (lines, process)
    }

    /// Waits for the end of the command; returns its exit code.
    static func wait(for process: pid_t) async -> Int32 {
        let status = try? await FileWork.regions.run { try ProgramLaunch.wait(for: process) }
        guard let status else { return -1 }
        return status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f
    }

    private static func read(_ descriptor: Int32, _ receive: (String) -> Void) {
        defer { close(descriptor) }
        var rest: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            rest += buffer[..<count]
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                receive(String(decoding: rest[..<end], as: UTF8.self))
                rest.removeSubrange(...end)
            }
            // A line of an error has at most 4 KiB.
            if rest.count > 65_536 { rest.removeAll() }
        }
        if !rest.isEmpty { receive(String(decoding: rest, as: UTF8.self)) }
    }

    /// Returns the step in a line such as `[3/4] 45 % Making the tiles`, with the completed part of all steps.
    static func step(in line: String) -> (title: String, part: Double)? {
        let words = line.split(separator: " ", maxSplits: 3)
        guard words.count == 4, words[0].hasPrefix("["), words[0].hasSuffix("]"), words[2] == "%",
            let percent = Double(words[1]), (0...100).contains(percent)
        else { return nil }
        return (String(words[3]), percent / 100)
    }
}
