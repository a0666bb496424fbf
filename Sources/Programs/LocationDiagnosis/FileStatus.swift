import Glibc

/// The type, owner and permissions of a file.
package struct FileStatus: Hashable, Sendable {
    /// The type of a file.
    package enum Kind: Hashable, Sendable {
        case regular, directory, socket, symbolicLink, characterDevice, other
    }

    package var kind: Kind
    /// The user id of its owner.
    package var owner: UInt32
    /// Its group id.
    package var group: UInt32
    /// The twelve permission bits of chmod(1).
    package var mode: UInt32

    package init(_ kind: Kind, owner: UInt32 = 0, group: UInt32 = 0, mode: UInt32) {
        self.kind = kind
        self.owner = owner
        self.group = group
        self.mode = mode
    }

    /// A kind of access, as the permission bits of one class.
    package enum Access: UInt32, Sendable {
        case search = 1
        case write = 2
        case readAndWrite = 6
    }

    /// True if the mode permits the access. Access control lists are not considered.
    package func permits(_ access: Access, to identity: ProcessIdentity) -> Bool {
        if identity.userID == 0 { return true }
        let shift: UInt32 = identity.userID == owner ? 6 : identity.groups.contains(group) ? 3 : 0
        return mode >> shift & access.rawValue == access.rawValue
    }

    /// True if its group or others may write to it. A sticky directory does not count: users can replace only files of
    /// their own in it.
    package var isWritableByOthers: Bool { mode & 0o022 != 0 && mode & 0o1000 == 0 }

    /// Owner, group and mode as text: `root:dialout 0660`. Ids stand for missing names.
    package var words: String {
        let octal = String(mode, radix: 8)
        return "\(Account.userName(owner)):\(Account.groupName(group)) "
            + String(repeating: "0", count: max(0, 4 - octal.count)) + octal
    }
}

/// The user and the groups of a process, which decide about its access to files.
package struct ProcessIdentity: Hashable, Sendable {
    package var userID: UInt32
    /// All groups, including the primary one.
    package var groups: Set<UInt32>
}

/// Names of users and groups.
package enum Account {
    /// The name of a user, or the id if there is none.
    package static func userName(_ id: UInt32) -> String {
        getpwuid(id).map { String(cString: $0.pointee.pw_name) } ?? "\(id)"
    }

    /// True for the id of a person, not of the system (login.defs(5)).
    package static func isPerson(_ id: UInt32) -> Bool { (1000..<65_534).contains(id) }

    /// The name of a group, or the id if there is none.
    package static func groupName(_ id: UInt32) -> String {
        getgrgid(id).map { String(cString: $0.pointee.gr_name) } ?? "\(id)"
    }

    /// The user with this name and all its groups; `nil` if there is no such user.
    package static func identity(ofUser name: String) -> ProcessIdentity? {
        guard let entry = getpwnam(name)?.pointee else { return nil }
        var count: Int32 = 64
        var groups = [gid_t](repeating: 0, count: Int(count))
        if getgrouplist(name, entry.pw_gid, &groups, &count) < 0 {
            groups = [gid_t](repeating: 0, count: max(1, Int(count)))
            guard getgrouplist(name, entry.pw_gid, &groups, &count) >= 0 else {
                return ProcessIdentity(userID: entry.pw_uid, groups: [entry.pw_gid])
            }
        }
        return ProcessIdentity(userID: entry.pw_uid, groups: Set(groups.prefix(Int(count))))
    }
}
