import CSQLite
import Glibc
import SQLAccess

/// Why the store could not do what it was asked to. Nothing was changed.
public struct StoreError: Error, Hashable, Sendable {
    /// What to tell errors apart by.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// Another process has the file.
        case inUse
        /// There is no space left.
        case diskFull
        /// The file system or the directory is read-only.
        case readOnly
        /// The file or the directory belongs to somebody else.
        case noPermission
        /// There is no such directory.
        case missingDirectory
        /// The file is not what the store wrote. Only opening it anew mends that.
        case damaged
        /// A newer release wrote the file.
        case newerVersion
        /// Reading or writing failed otherwise.
        case failed
    }

    /// What happened.
    public let code: Code
    /// The file or directory it happened to.
    public let path: String
    /// What SQLite or the system said of it.
    public let detail: String
}

extension StoreError: CustomStringConvertible {
    /// What happened and what to do about it, as a sentence.
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
    /// The failure of a system call on `path`, with the `errno` it left.
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
            // A statement of ours that does not fit: the tables are not those that a file of this version has.
            case SQLITE_ERROR: .damaged
            case SQLITE_IOERR where systemError == ENOSPC || systemError == EDQUOT: .diskFull
            default: .failed
            }
        self.path = path
        self.detail = detail
    }
}
