import Glibc

/// What the file system says of a file, as far as it is looked at here.
package struct FileStatus: Hashable, Sendable {
    /// What a path can lead to.
    package enum Kind: Hashable, Sendable {
        case regular, directory, socket, symbolicLink, characterDevice, other
    }

    package var kind: Kind
    /// The numbers of its user and its group.
    package var owner: UInt32
    package var group: UInt32
    /// The twelve bits that chmod(1) sets.
    package var mode: UInt32

    package init(_ kind: Kind, owner: UInt32 = 0, group: UInt32 = 0, mode: UInt32) {
        self.kind = kind
        self.owner = owner
        self.group = group
        self.mode = mode
    }

    /// What an identity asks of a file; the bits of one class in its mode.
    package enum Access: UInt32, Sendable {
        case search = 1
        case write = 2
        case readAndWrite = 6
    }

    /// Whether the mode permits it. Access control lists are not looked at.
    package func permits(_ access: Access, to identity: ProcessIdentity) -> Bool {
        if identity.userID == 0 { return true }
        let shift: UInt32 = identity.userID == owner ? 6 : identity.groups.contains(group) ? 3 : 0
        return mode >> shift & access.rawValue == access.rawValue
    }

    /// Whether somebody besides its owner, or besides root, may change it. In a sticky directory that is nobody's harm.
    package var isWritableByOthers: Bool { mode & 0o022 != 0 && mode & 0o1000 == 0 }

    /// `root:dialout 0660`, with numbers where there are no names.
    package var words: String {
        let octal = String(mode, radix: 8)
        return "\(Account.userName(owner)):\(Account.groupName(group)) "
            + String(repeating: "0", count: max(0, 4 - octal.count)) + octal
    }
}

/// Who a process is, as far as file permissions ask.
package struct ProcessIdentity: Hashable, Sendable {
    package var userID: UInt32
    /// All of them, the primary one included.
    package var groups: Set<UInt32>

    package init(userID: UInt32, groups: Set<UInt32>) {
        self.userID = userID
        self.groups = groups
    }
}

/// Names of users and groups.
package enum Account {
    /// The name of a user, or the number where there is none.
    package static func userName(_ id: UInt32) -> String {
        getpwuid(id).map { String(cString: $0.pointee.pw_name) } ?? "\(id)"
    }

    /// The name of a group, or the number where there is none.
    package static func groupName(_ id: UInt32) -> String {
        getgrgid(id).map { String(cString: $0.pointee.gr_name) } ?? "\(id)"
    }

    /// A user by name with all its groups; `nil` if there is no such user.
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
