import FoundationEssentials
import Glibc

/// Where the targets keep files: in memory, since what a disk may do is the matter of the tests of those who write.
enum Scratch {
    /// A directory of this process, removed as it ends. `run` names one around it, which it removes whatever happens.
    static let directory: String = {
        let parent = getenv("LOCATIOND_FUZZ_DIRECTORY").map { String(cString: $0) } ?? "/dev/shm"
        var template = Array("\(parent)/locationd-fuzz-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { fatalError("There is no directory in \(parent): errno \(errno)") }
        atexit { try? FileManager.default.removeItem(atPath: Scratch.directory) }
        return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }()
}
