/// The hardware address of a network interface (IEEE 802, 48 bits).
package struct HardwareAddress: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The address as a number, its first byte on top.
    private let value: UInt64

    /// Reads `a4:2b:b0:11:22:33`, in capitals or not; `nil` for anything else.
    package init?(_ text: some StringProtocol) {
        guard text.utf8.count == 17 else { return nil }
        let bytes = text.split(separator: ":", omittingEmptySubsequences: false)
        guard bytes.count == 6, bytes.allSatisfy({ $0.utf8.count == 2 && $0.allSatisfy(\.isHexDigit) }) else {
            return nil
        }
        value = bytes.reduce(0) { $0 << 8 | (UInt64($1, radix: 16) ?? 0) }
    }

    /// In lower case, with colons.
    package var description: String {
        (0..<6).map { index in
            let byte = UInt8(truncatingIfNeeded: value >> UInt64(40 - 8 * index))
            return (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined(separator: ":")
    }

    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.value < rhs.value }

    /// True for an address of several devices.
    package var isGroup: Bool { value >> 40 & 1 != 0 }

    /// True for an address that no manufacturer has assigned: of a telephone's hot spot, or of a router's second network.
    package var isLocallyAdministered: Bool { value >> 40 & 2 != 0 }

    /// True for the addresses of virtual routers and of other protocols of the Internet: 00:00:5e.
    package var isOfProtocol: Bool { value >> 24 == 0x00005e }

    /// True for an address that NetworkManager invents where iwd is behind it: 00:01:02.
    package var isInventedForIwd: Bool { value >> 24 == 0x000102 }

    /// True if it can be the address of one access point that stays where it is.
    package var isUsable: Bool {
        !isGroup && !isLocallyAdministered && !isOfProtocol && !isInventedForIwd && value != 0
    }
}
