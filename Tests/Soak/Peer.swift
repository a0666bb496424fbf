import BenchmarkLoad
import Glibc

/// A non-blocking connection of the soak to the daemon, and its received deliveries.
final class Peer {
    /// The behaviour of the connection.
    enum Kind: Equatable {
        case subscriber, follower
        /// Requests one location.
        case asker
        /// Watches its authorization.
        case watcher
        /// Sends invalid messages.
        case vandal
    }

    /// The totals of deliveries.
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
    /// The index of the soak's user.
    let user: Int
    let descriptor: Int32
    var isReading = true {
        didSet { changed = monotonic_now() }
    }
    /// The time of its connection or last change of reading.
    private var changed = monotonic_now()
    private(set) var told = Told()
    /// The number of the newest exact fix it has received.
    private(set) var newest: Int?
    private(set) var isEnded = false
    /// The exact fixes received since the last query.
    private var exact: [Int] = []
    /// An incomplete message.
    private var partial: [UInt8] = []

    init(_ kind: Kind, user: Int, descriptor: Int32) {
        self.kind = kind
        self.user = user
        self.descriptor = descriptor
    }

    /// True if it has been reading for long enough to have received everything.
    var isCaughtUp: Bool { isReading && monotonic_now() - changed > 2_000_000_000 }

    /// The exact fixes received since the last call.
    func takeExact() -> [Int] {
        defer { exact.removeAll(keepingCapacity: true) }
        return exact
    }

    /// Sends a call; returns false if it does not fit at once.
    func send(_ text: String) -> Bool {
        var bytes = Array(text.utf8)
        if kind != .vandal { bytes.append(0) }
        return Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }

    /// Reads everything available. Returns the number of bytes.
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

    /// Announces its end and reads everything pending. After that it can be closed without loss.
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

    /// Processes a message, which a NUL follows.
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
    /// The number after the first `key`; 0 for any value if only its presence counts (`isThere`).
    fileprivate func number(after key: String, isThere: Bool = false) -> Double? {
        guard let found = strstr(self, key) else { return nil }
        return isThere ? 0 : strtod(found + key.utf8.count, nil)
    }
}
