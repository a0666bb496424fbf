import FoundationEssentials
import Glibc
package import LocationSharing
package import POSIXSupport

/// The directory of the user's destinations: `$XDG_STATE_HOME/locationd/share`, with mode 0700 and files with mode 0600.
///
/// - `destinations.json`: the destinations and their shares, written by commands.
/// - `NAME.url`: the URL of a destination, which is a secret. Where this file is missing, a credential of the unit with this name
///   takes its place (`LoadCredentialEncrypted=`, systemd.exec(5)).
/// - `NAME.state.json`: the sending program's state of a destination. No position.
/// - `NAME.queue`, with `-wal` and `-shm`: the positions that a service does not have yet, while a share that keeps them runs.
package struct ShareDirectory: Sendable {
    package let path: String
    /// The directory of the unit's credentials; `nil` where no unit runs this program, or its unit has none.
    private let credentials: String?

    package var destinationsFile: String { path + "/destinations.json" }

    /// A directory at this path, with the credentials that the environment names by default.
    package init(path: String, credentials: String? = Self.environmentPath("CREDENTIALS_DIRECTORY")) {
        (self.path, self.credentials) = (path, credentials)
    }

    /// The directory of the user who runs this program; `nil` if the environment names none.
    package static var ofUser: ShareDirectory? {
        let state = environmentPath("XDG_STATE_HOME") ?? environmentPath("HOME").map { "\($0)/.local/state" }
        return state.map { ShareDirectory(path: "\($0)/locationd/share") }
    }

    /// The absolute path in a variable of the environment; `nil` if it has none.
    package static func environmentPath(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil }
    }

    /// Creates the directory if it is missing, and checks it.
    package func prepare() throws(ShareDirectoryError) {
        var parent = ""
        for part in path.split(separator: "/") {
            parent += "/" + part
            if mkdir(parent, 0o700) != 0, errno != EEXIST { throw .failure(parent) }
        }
        try check()
    }

    /// Refuses a directory that others may enter, or that belongs to another user.
    package func check() throws(ShareDirectoryError) {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            if errno == ENOENT { return }
            throw .failure(path)
        }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw .unusable(path, "It is not a directory") }
        guard status.st_uid == geteuid() else { throw .foreign(path) }
        guard status.st_mode & 0o077 == 0 else { throw .wide(path, mode: "700") }
    }

    /// The destinations, by name.
    package func destinations() throws(ShareDirectoryError) -> [Destination] {
        try check()
        guard let content = try read(destinationsFile) else { return [] }
        return try decode([Destination].self, content, destinationsFile)
    }

    /// Changes the destinations, while no other program does.
    package func change<Result>(
        _ body: (inout [Destination]) throws -> Result
    ) throws -> Result {
        try prepare()
        let file = path + "/lock"
        let lock: Int32
        do throws(Errno) {
            lock = try FileLock.file(file, waits: true)
        } catch {
            throw ShareDirectoryError.failure(file, error)
        }
        defer { close(lock) }
        var destinations = try destinations()
        let result = try body(&destinations)
        try write(destinations.sorted { $0.name < $1.name }, to: destinationsFile)
        return result
    }

    /// The text of a destination's URL.
    package func url(of name: String) throws(ShareDirectoryError) -> String {
        if let content = try read(urlFile(of: name)) { return String(decoding: content, as: UTF8.self) }
        guard let content = try credential("\(name).url") else { throw .noURL(name) }
        return String(decoding: content, as: UTF8.self)
    }

    /// The content of a credential of the unit; `nil` if it has none with this name. The service manager sees to it that only the
    /// unit's user can read it, by a list of access that a mode cannot show.
    private func credential(_ name: String) throws(ShareDirectoryError) -> [UInt8]? {
        guard let file = credentials.map({ "\($0)/\(name)" }), access(file, F_OK) == 0 else { return nil }
        return try content(of: file)
    }

    /// Saves the text of a destination's URL.
    package func setURL(_ url: String, of name: String) throws(ShareDirectoryError) {
        try write(Array(url.utf8), bytesTo: urlFile(of: name))
    }

    package func state(of name: String) throws(ShareDirectoryError) -> ShareState {
        let file = stateFile(of: name)
        guard let content = try read(file) else { return ShareState() }
        return try decode(ShareState.self, content, file)
    }

    /// The state of a destination; if its file cannot be used, one of a share that has stopped, of which the service may show the
    /// position. A disk that fails now is another matter.
    package func stateOrStop(of destination: Destination) throws(ShareDirectoryError) -> ShareState {
        do throws(ShareDirectoryError) {
            return try state(of: destination.name)
        } catch {
            if case .disk = error { throw error }
            var state = ShareState()
            // It is unknown whether it has ended, or what the service has.
            (state.isShowing, state.failedShare) = (true, destination.share?.started)
            state.problem =
                "What was known of this share is lost, so that it has stopped: \(stateFile(of: destination.name)) "
                + "was damaged, or not only yours."
            return state
        }
    }

    package func setState(_ state: ShareState, of name: String) throws(ShareDirectoryError) {
        try write(state, to: stateFile(of: name))
    }

    /// Deletes the URL, the state and the queue of a destination.
    package func removeFiles(of name: String) throws(ShareDirectoryError) {
        try remove([urlFile(of: name), stateFile(of: name)])
        try removeQueue(of: name)
    }

    /// Deletes the positions that are kept for a destination.
    package func removeQueue(of name: String) throws(ShareDirectoryError) {
        let file = queueFile(of: name)
        try remove([file, file + "-wal", file + "-shm"])
    }

    /// The number of positions that are kept for a destination.
    package func queueCount(of name: String) throws -> Int {
        Destination.isName(name) ? try PositionQueue.count(queueFile(of: name)) : 0
    }

    private func remove(_ files: [String]) throws(ShareDirectoryError) {
        for file in files where unlink(file) != 0 && errno != ENOENT { throw .failure(file) }
    }

    func queueFile(of name: String) -> String { "\(path)/\(name).queue" }

    /// Locks the directory for the program that sends, until the descriptor is closed; `nil` if another one has it.
    package func lockForSending() throws(ShareDirectoryError) -> Int32? {
        try prepare()
        let file = path + "/sending"
        do throws(Errno) {
            return try FileLock.file(file, waits: false)
        } catch {
            guard error.code == EWOULDBLOCK else { throw .failure(file, error) }
            return nil
        }
    }

    /// True if a program sends.
    package var isSending: Bool {
        get throws(ShareDirectoryError) {
            guard let descriptor = try lockForSending() else { return true }
            close(descriptor)
            return false
        }
    }

    private func urlFile(of name: String) -> String { "\(path)/\(name).url" }
    private func stateFile(of name: String) -> String { "\(path)/\(name).state.json" }

    /// The content of a file; `nil` if there is none. Refuses one that others may read.
    private func read(_ file: String) throws(ShareDirectoryError) -> [UInt8]? {
        var status = stat()
        guard lstat(file, &status) == 0 else {
            if errno == ENOENT { return nil }
            throw .failure(file)
        }
        guard status.st_uid == geteuid() else { throw .foreign(file) }
        guard status.st_mode & 0o077 == 0 else { throw .wide(file, mode: "600") }
        return try content(of: file)
    }

    private func content(of file: String) throws(ShareDirectoryError) -> [UInt8] {
        do throws(Errno) {
            return try SmallFile.read(file)
        } catch {
            throw .failure(file, error)
        }
    }

    private func decode<Value: Decodable>(
        _ type: Value.Type, _ content: [UInt8], _ file: String
    ) throws(ShareDirectoryError) -> Value {
        do {
            return try JSONDecoder().decode(type, from: Data(content))
        } catch {
            throw .damaged(file)
        }
    }

    private func write(_ value: some Encodable, to file: String) throws(ShareDirectoryError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let content: Data
        do {
            content = try encoder.encode(value)
        } catch {
            throw .unusable(file, "\(error)")
        }
        try write(Array(content), bytesTo: file)
    }

    private func write(_ content: [UInt8], bytesTo file: String) throws(ShareDirectoryError) {
        do {
            try AtomicFile.write(content, to: file, mode: 0o600)
        } catch let error as Errno {
            throw .failure(file, error)
        } catch {
            throw .unusable(file, "\(error)")
        }
    }
}

/// The reason why the files of the destinations cannot be used.
package enum ShareDirectoryError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Others than the owner may read it.
    case wide(String, mode: String)
    /// It belongs to another user.
    case foreign(String)
    /// It cannot be read or written, with the system's words.
    case unusable(String, String)
    /// Its disk is full, or fails, which may pass.
    case disk(String, Errno)
    /// It is not what this program writes.
    case damaged(String)
    /// The URL of this destination is missing.
    case noURL(String)

    /// The error of a system call; by default that of the last one.
    static func failure(_ path: String, _ error: Errno = Errno()) -> ShareDirectoryError {
        [ENOSPC, EDQUOT, EIO].contains(error.code) ? .disk(path, error) : .unusable(path, error.description)
    }

    /// A sentence with the remedy.
    package var description: String {
        switch self {
        case .disk(let path, let error):
            error.code == EIO
                ? "\(path) cannot be read or written: \(error). Its disk may be failing."
                : "\(path) cannot be written: \(error). To fix it, free some space on its disk."
        case .wide(let path, let mode):
            "Other users may read \(path). Make new URLs at your services if anybody has. To close it, run: chmod \(mode) \(path)"
        case .foreign(let path): "\(path) belongs to another user, so that it is not used."
        case .unusable(let path, let words): "\(path) cannot be used: \(words)."
        case .damaged(let path):
            "\(path) is damaged. To start again, remove it and add your destinations: locationctl share add"
        case .noURL(let name):
            "The URL of \(name) is missing. If it is a credential of the unit, only the unit can read it. To give it again, run: "
                + "locationctl share remove \(name), then locationctl share add"
        }
    }
}
