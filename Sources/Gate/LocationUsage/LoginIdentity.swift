import CSystemd

/// The identity of a session of a user, which a later start of the service recognizes.
package struct LoginIdentity: Hashable, Sendable {
    /// A number of the session. logind may give its identifier again after a restart of the machine, so the number depends on
    /// that as well: sd_id128_get_boot(3).
    package let number: UInt32
    /// True for a session that shows a desktop.
    package let isGraphical: Bool

    package init(number: UInt32, isGraphical: Bool) { (self.number, self.isGraphical) = (number, isGraphical) }

    /// The session with this identifier of logind, in this run of the machine; `nil` if the kernel does not report which that is.
    init?(session: String, isGraphical: Bool) {
        var boot = sd_id128_t()
        guard sd_id128_get_boot(&boot) >= 0 else { return nil }
        let bytes = withUnsafeBytes(of: boot) { Array($0) }
        self.init(boot: bytes, session: session, isGraphical: isGraphical)
    }

    init(boot: [UInt8], session: String, isGraphical: Bool) {
        // FNV-1a.
        let number = (boot + session.utf8).reduce(2_166_136_261 as UInt32) { ($0 ^ UInt32($1)) &* 16_777_619 }
        self.init(number: number, isGraphical: isGraphical)
    }
}
