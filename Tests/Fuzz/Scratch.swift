import FoundationEssentials
import Glibc

/// The targets' directory for files: in memory, because disk errors are the matter of other tests.
enum Scratch {
    /// A directory of this process, removed at its end. `run` sets a parent, which it always removes.
    static let directory: String = {
        let parent = getenv("LOCATIOND_FUZZ_DIRECTORY").map { String(cString: $0) } ?? "/dev/shm"
        var template = Array("\(parent)/locationd-fuzz-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { fatalError("There is no directory in \(parent): errno \(errno)") }
        atexit { try? FileManager.default.removeItem(atPath: Scratch.directory) }
        return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }()
}
