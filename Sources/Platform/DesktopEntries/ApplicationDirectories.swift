import Glibc
import POSIXSupport

/// The desktop files and icons of the applications that are installed for all users.
///
/// Files in a user's own directory do not count, since every program of the user can write there: one could take the name and the icon
/// of another.
package struct ApplicationDirectories: Sendable {
    /// The size limit of a desktop file in bytes. Real ones have a few kilobytes.
    private static let longestEntry = 262_144
    /// The size limit of an icon in bytes.
    package static let longestIcon = 524_288
    /// The sizes in which an icon is looked for, the best first for 36 to 72 pixels.
    private static let sizes = [
        "scalable", "128x128", "96x96", "64x64", "72x72", "48x48", "256x256", "512x512", "32x32",
    ]

    /// The directories with `applications` and `icons`, the first first.
    package let directories: [String]

    package init(_ directories: [String] = ["/usr/local/share", "/usr/share", "/var/lib/flatpak/exports/share"]) {
        self.directories = directories
    }

    /// The desktop file with this id; `nil` if there is none.
    ///
    /// - Parameter language: in the form of `$LANG`, such as `de_AT.UTF-8@euro`.
    package func entry(_ id: String, language: String) -> DesktopEntry? {
        guard DesktopEntry.isID(id) else { return nil }
        return directories.lazy.compactMap { directory -> DesktopEntry? in
            // An absent file is as good as none.
            guard let bytes = try? SmallFile.read("\(directory)/applications/\(id).desktop", limit: Self.longestEntry)
            else { return nil }
            return String(validating: bytes, as: UTF8.self).flatMap { DesktopEntry($0, language: language) }
        }.first
    }

    /// The path of the file with an icon, SVG or PNG, in the theme hicolor, which every application has; `nil` if there is none.
    package func icon(of entry: DesktopEntry) -> String? {
        guard let name = entry.icon else { return nil }
        let isPath = name.hasPrefix("/")
        let paths =
            isPath
            ? [name]
            : !DesktopEntry.isID(name)
                ? []
                : directories.flatMap { directory in
                    Self.sizes.map {
                        "\(directory)/icons/hicolor/\($0)/apps/\(name)\($0 == "scalable" ? ".svg" : ".png")"
                    }
                        + ["\(directory)/pixmaps/\(name).png", "\(directory)/pixmaps/\(name).svg"]
                }
        return paths.first { path in
            (path.hasSuffix(".svg") || path.hasSuffix(".png")) && access(path, R_OK) == 0
                && (!isPath || directories.contains { path.hasPrefix($0 + "/") } || path.hasPrefix("/opt/"))
                && !path.contains("/../")
        }
    }
}
