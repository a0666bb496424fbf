import Glibc

/// Resolves user names in a file.
enum UserName {
    /// The message about an unknown user.
    struct Unknown: Error {
        let message: String
    }

    /// The user id for `text`, which is an id or a name. Fails if the look-up fails.
    static func id(of text: String) throws(Unknown) -> UInt32 {
        if text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
            return try id(Int(text) ?? .max)
        }
        var entry = passwd()
        var buffer = [CChar](repeating: 0, count: 1024)
        while true {
            var found: UnsafeMutablePointer<passwd>?
            let error = getpwnam_r(text, &entry, &buffer, buffer.count, &found)
            if found != nil { return entry.pw_uid }
            switch error {
            case EINTR: continue
            case ERANGE where buffer.count < 1 << 20:
                buffer = [CChar](repeating: 0, count: buffer.count * 2)
            // Sources of users report a missing user with different errors: getpwnam_r(3).
            case 0, ENOENT, ESRCH, EBADF, EPERM:
                throw Unknown(message: "There is no user \(text.quoted); create it first or name another.")
            default:
                let reason = String(cString: strerror(error))
                throw Unknown(message: "The user \(text.quoted) cannot be looked up: \(reason).")
            }
        }
    }

    /// `number` as a user id. The largest number means "no user" to the kernel.
    static func id(_ number: Int) throws(Unknown) -> UInt32 {
        guard (0..<Int(UInt32.max)).contains(number) else {
            throw Unknown(message: "A user id is a number from 0 to \(UInt32.max - 1).")
        }
        return UInt32(number)
    }
}
