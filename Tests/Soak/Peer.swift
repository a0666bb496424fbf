import BenchmarkLoad
import Glibc

/// One connection of the soak to the daemon, which does not block, and what it has been told.
final class Peer {
    /// What it is there for.
    enum Kind: Equatable {
        case subscriber, follower
        /// Asks for one location.
        case asker
        /// Watches its authorization.
        case watcher
        /// Sends what is no call.
        case vandal
    }

    /// What a connection was told, added up.
    struct Told {
        var locations = 0
        var skipped = 0
        var diagnostics = 0
        var errors = 0

        static func += (sum: inout Told, more: Told) {
            sum.locations += more.locations
            sum.skipped += more.skipped
            sum.diagnostics += more.diagnostics
            sum.errors += more.errors
        }
    }

    let kind: Kind
    /// Which of the soak's users it is.
    let user: Int
    let descriptor: Int32
    var isReading = true {
        didSet { changed = monotonic_now() }
    }
    /// When it came, began to read, or stopped.
    private var changed = monotonic_now()
    private(set) var told = Told()
    /// The number of the newest exact fix it has been given.
    private(set) var newest: Int?
    private(set) var isEnded = false
    /// Fixes that it was given exactly, since it was asked last.
    private var exact: [Int] = []
    /// The beginning of a message whose end has not come.
    private var partial: [UInt8] = []

    init(_ kind: Kind, user: Int, descriptor: Int32) {
        self.kind = kind
        self.user = user
        self.descriptor = descriptor
    }

    /// Whether it has been reading for long enough to have all that it was owed.
    var isCaughtUp: Bool { isReading && monotonic_now() - changed > 2_000_000_000 }

    /// The fixes that it was given exactly since this was called last.
    func takeExact() -> [Int] {
        defer { exact.removeAll(keepingCapacity: true) }
        return exact
    }

    /// Sends a call; what does not fit at once is a failure.
    func send(_ text: String) -> Bool {
        var bytes = Array(text.utf8)
        if kind != .vandal { bytes.append(0) }
        return Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }

    /// Reads all that has come. Says how many bytes that were.
    @discardableResult
    func read() -> Int {
        var total = 0
        while !isEnded {
            let count = withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { buffer in
                let count = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
                if count > 0 { take(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count])) }
                return count
            }
            if count > 0 { total += count }
            if count == 0 || count < 0 && errno != EAGAIN { isEnded = true }
            if count < 65_536 { break }
        }
        return total
    }

    /// Says that it leaves and reads what was still under way, to the end. After that it can be closed without loss.
    func leave() {
        shutdown(descriptor, Int32(SHUT_RDWR))
        while !isEnded { read() }
    }

    deinit { close(descriptor) }

    private func take(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes[...]
        while let end = rest.firstIndex(of: 0) {
            let message = UnsafeRawBufferPointer(rebasing: rest[..<end])
            if partial.isEmpty {
                hear(message)
            } else {
                partial += message
                partial.append(0)
                partial.withUnsafeBytes { hear($0) }
                partial = []
            }
            rest = rest[(end + 1)...]
        }
        partial += rest
    }

    /// A message, behind which there is a NUL.
    private func hear(_ bytes: UnsafeRawBufferPointer) {
        guard let message = bytes.bindMemory(to: CChar.self).baseAddress else { return }
        if let skipped = message.number(after: #""skipped":"#) { told.skipped += Int(skipped) }
        if message.number(after: #""error":"#, isThere: true) != nil {
            told.errors += 1
        } else if let latitude = message.number(after: #""latitude":"#) {
            told.locations += 1
            guard let radius = message.number(after: #""horizontalAccuracy":"#), radius < 100 else { return }
            let fix = Fix.number(ofLatitude: latitude)
            if kind != .follower { exact.append(fix) }
            newest = fix
        } else if message.number(after: #""diagnostic":"#, isThere: true) != nil {
            told.diagnostics += 1
        }
    }
}

extension UnsafePointer<CChar> {
    /// The number behind the first `key`; 0 for any value where only that it `isThere` counts.
    fileprivate func number(after key: String, isThere: Bool = false) -> Double? {
        guard let found = strstr(self, key) else { return nil }
        return isThere ? 0 : strtod(found + key.utf8.count, nil)
    }
}
