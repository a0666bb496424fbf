import Glibc

/// The addresses to which nothing leads from outside: loopback, link-local, RFC 1918 and RFC 4193.
package enum PrivateAddress {
    /// True if an address of a socket (`sockaddr_in`, `sockaddr_in6`) is private. False for another family.
    package static func contains(socketAddress bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count >= MemoryLayout<sa_family_t>.size else { return false }
        switch CInt(bytes.loadUnaligned(as: sa_family_t.self)) {
        case AF_INET where bytes.count >= 8: return contains(Array(bytes[4..<8]))
        case AF_INET6 where bytes.count >= 24: return contains(Array(bytes[8..<24]))
        default: return false
        }
    }

    /// True if an address of 4 or 16 bytes is private.
    package static func contains(_ address: [UInt8]) -> Bool {
        switch address.count {
        case 4:
            switch (address[0], address[1]) {
            case (127, _), (10, _), (172, 16...31), (192, 168), (169, 254): return true
            default: return false
            }
        case 16:
            // An address of IPv4 in one of IPv6.
            if address.prefix(10).allSatisfy({ $0 == 0 }), address[10] == 255, address[11] == 255 {
                return contains(Array(address[12...]))
            }
            let isLoopback = address.dropLast().allSatisfy { $0 == 0 } && address[15] == 1
            let isLinkLocal = address[0] == 0xfe && address[1] & 0xc0 == 0x80
            let isUniqueLocal = address[0] & 0xfe == 0xfc
            return isLoopback || isLinkLocal || isUniqueLocal
        default: return false
        }
    }
}
