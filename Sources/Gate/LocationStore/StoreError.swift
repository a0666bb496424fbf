import CSQLite
import Glibc
import SQLite

/// A failed operation of the store. It changed nothing.
public struct StoreError: Error, Hashable, Sendable {
    /// The kind of failure.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// Another process has the file open.
        case inUse
        /// No space is left on the disk.
        case diskFull
        /// The file system or the directory is read-only.
        case readOnly
        /// The file or directory belongs to another user.
        case noPermission
        /// The directory does not exist.
        case missingDirectory
        /// The content of the file is invalid. Only opening the store again helps.
        case damaged
        /// The file was moved, deleted or overwritten while it was open. Only opening the store again helps.
        case moved
        /// A newer release wrote the file.
        case newerVersion
        /// Reading or writing failed for another reason.
        case failed
    }

    /// The kind of failure.
    public let code: Code
    /// The file or directory.
    public let path: String
    /// The message of SQLite or the system.
    public let detail: String

    /// An error about `path`.
    public init(code: Code, path: String, detail: String) {
        self.code = code
        self.path = path
        self.detail = detail
    }
}

extension StoreError: CustomStringConvertible {
    /// A sentence with the failure and its remedy.
    public var description: String {
        let sentence =
            switch code {
            case .inUse:
                "\(path) is in use by another process; only one locationd can run with a state directory"
            case .diskFull:
                "there is no space left for \(path); free some on its file system"
            case .readOnly:
                "\(path) cannot be written; its file system and its directory must be writable"
            case .noPermission:
                "\(path) cannot be opened; it and its directory must belong to the user that runs locationd"
            case .missingDirectory:
                "\(path) cannot be made; its directory must exist"
            case .damaged:
                "\(path) is damaged; start locationd again, which sets the file aside and begins a new one"
            case .moved:
                "\(path) was moved or replaced; repeat the command, since the file that is there now is used from now on"
            case .newerVersion:
                "\(path) was written by a newer release of locationd; install that one, or move the file away, which "
                    + "takes back every decision"
            case .failed:
                "\(path) cannot be read or written"
            }
        return "\(sentence) (\(detail))"
    }
}

extension StoreError: SQLFailure {
    /// The failure of a system call on `path`, from its `errno`.
    init(systemError: Int32 = errno, path: String) {
        code =
            switch systemError {
            case ENOSPC, EDQUOT, EFBIG: .diskFull
            case EROFS: .readOnly
            case EWOULDBLOCK: .inUse
            case EACCES, EPERM: .noPermission
            case ENOENT, ENOTDIR: .missingDirectory
            default: .failed
            }
        self.path = path
        detail = String(cString: strerror(systemError))
    }

    /// A result code of SQLite, primary or extended (<https://sqlite.org/rescode.html>).
    package init(sqliteCode: Int32, systemError: Int32, path: String, detail: String) {
        code =
            switch sqliteCode & 0xff {
            case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL: .inUse
            case SQLITE_FULL: .diskFull
            case SQLITE_READONLY: .readOnly
            case SQLITE_PERM, SQLITE_AUTH, SQLITE_CANTOPEN: .noPermission
            case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT: .damaged
            // Our statements do not fit the tables, so these are not the tables of this version.
            case SQLITE_ERROR: .damaged
            case SQLITE_IOERR where systemError == ENOSPC || systemError == EDQUOT: .diskFull
            default: .failed
            }
        self.path = path
        self.detail = detail
    }
}
