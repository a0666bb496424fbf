// Its headers bring those of inotify into one of both modules, depending on the build.
import CSystemd
import Glibc

/// Watches one path by inotify(7): for a file that is written, replaced, created, removed or made accessible there. The
/// directory has to exist.
///
/// Confined to the event loop of its poller.
package final class FileWatch {
    private static let changes =
        UInt32(IN_CLOSE_WRITE) | UInt32(IN_CREATE) | UInt32(IN_MOVED_TO) | UInt32(IN_MOVED_FROM) | UInt32(IN_DELETE)
        | UInt32(IN_ATTRIB) | UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF)

    private let path: String
    private let name: String
    private let descriptor: Int32
    private let poller: DescriptorPoller
    private var watch: DescriptorPoller.Watch?
    private let onChange: () -> Void

    /// Calls `onChange` on the event loop after each change. A file being written counts when the writer closes it.
    package init(path: String, poller: DescriptorPoller, onChange: @escaping () -> Void) throws(SystemdError) {
        let end = path.lastIndex(of: "/")
        self.path = path
        self.poller = poller
        self.onChange = onChange
        name = String(path[(end.map { path.index(after: $0) } ?? path.startIndex)...])
        let directory = end.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        guard descriptor >= 0 else { throw SystemdError("watching \(path)", -errno) }
        guard inotify_add_watch(descriptor, directory, Self.changes) >= 0 else {
            let error = errno
            close(descriptor)
            throw SystemdError("watching \(directory)", -error)
        }
        watch = poller.add(descriptor) { [weak self] in self?.read() }
    }

    deinit { stop() }

    /// Ends the watch.
    package func stop() {
        guard let watch else { return }
        self.watch = nil
        poller.remove(watch)
        close(descriptor)
    }

    private func read() {
        var isChanged = false
        // The events are read until there are no more, then the descriptor is armed again.
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = buffer.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { break }
            buffer.withUnsafeBytes { bytes in
                var offset = 0
                while offset + MemoryLayout<inotify_event>.size <= count {
                    let event = bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                    let start = offset + MemoryLayout<inotify_event>.size
                    let text = bytes[start..<min(count, start + Int(event.len))].prefix { $0 != 0 }
                    if concerns(event.mask, name: String(decoding: text, as: UTF8.self)) { isChanged = true }
                    offset = start + Int(event.len)
                }
            }
        }
        if let watch { poller.resume(watch) }
        if isChanged { onChange() }
    }

    /// True for an event that may change what is at the path. Events without a name are about the directory or its watch.
    private func concerns(_ mask: UInt32, name: String) -> Bool {
        guard name.isEmpty || name == self.name else { return false }
        guard mask & UInt32(IN_CREATE) != 0 else { return true }
        // A new file is empty until its writer closes it; a link, another name of a file or a directory is complete.
        var status = stat()
        return lstat(path, &status) == 0 && (status.st_mode & S_IFMT != S_IFREG || status.st_nlink > 1)
    }
}
