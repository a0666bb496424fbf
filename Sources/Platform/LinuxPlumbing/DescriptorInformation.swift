import Glibc

/// An open file, as `/proc/PID/fdinfo` describes it.
struct DescriptorInformation: Hashable {
    /// The mount of the file.
    let mount: Int32
    /// The inode; `nil` before Linux 5.14.
    let inode: UInt64?

    /// Reads a file in `/proc/PID/fdinfo`; `nil` if it is not there any more, or may not be read.
    init?(path: String) {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        let found: (mount: UInt64?, inode: UInt64?) = withUnsafeTemporaryAllocation(
            of: CChar.self, capacity: Self.longest + 1
        ) { text in
            guard let start = text.baseAddress else { return (nil, nil) }
            let count = read(file, start, Self.longest)
            guard count > 0 else { return (nil, nil) }
            text[count] = 0
            return (Self.number(after: "\nmnt_id:", in: start), Self.number(after: "\nino:", in: start))
        }
        guard let mount = found.mount.flatMap(Int32.init(exactly:)) else { return nil }
        (self.mount, inode) = (mount, found.inode)
    }

    /// More than the length of the first lines, which all files have.
    private static let longest = 511

    /// The number behind the name of a line, which is not the first.
    private static func number(after name: StaticString, in text: UnsafePointer<CChar>) -> UInt64? {
        let found = name.utf8Start.withMemoryRebound(to: CChar.self, capacity: name.utf8CodeUnitCount + 1) {
            strstr(text, $0)
        }
        guard let found else { return nil }
        let digits = UnsafePointer(found + name.utf8CodeUnitCount)
        var end: UnsafeMutablePointer<CChar>?
        let number = strtoull(digits, &end, 10)
        return end.map { UnsafePointer($0) != digits } == true ? UInt64(number) : nil
    }
}
