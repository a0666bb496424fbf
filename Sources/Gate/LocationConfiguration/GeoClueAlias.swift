import Glibc

/// The link by which systemd starts the service for programs that ask GeoClue: `systemctl enable locationd.service` makes it.
package enum GeoClueAlias {
    private static let file = "/etc/systemd/system/dbus-org.freedesktop.GeoClue2.service"
    /// GeoClue's own file for the bus.
    private static let geoClue = "/usr/share/dbus-1/system-services/org.freedesktop.GeoClue2.service"

    /// True if the service is the one that is started.
    package static var isSet: Bool {
        var target = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = readlink(file, &target, target.count - 1)
        guard length > 0 else { return false }
        return String(decoding: target[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
            .hasSuffix("/locationd.service")
    }

    /// True if GeoClue itself is installed.
    package static var isGeoClueInstalled: Bool { access(geoClue, F_OK) == 0 }
}
