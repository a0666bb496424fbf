import Glibc
import POSIXSupport

/// The machine's time zone, and the other zones by its tzdata.
package struct TimeZoneDatabase: Sendable {
    private let directory: String
    private let link: String

    /// - Parameters:
    ///   - directory: the directory of tzdata.
    ///   - link: the symbolic link that sets the machine's time zone, as localtime(5) describes it.
    package init(directory: String = "/usr/share/zoneinfo", link: String = "/etc/localtime") {
        (self.directory, self.link) = (directory, link)
    }

    /// The name of the machine's time zone; `nil` if it is unknown, because the link is a copy of a file. Without a link it is
    /// UTC.
    package var machineZone: String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = readlink(link, &buffer, buffer.count)
        guard length >= 0 else { return errno == ENOENT ? "UTC" : nil }
        let target = String(decoding: buffer.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard let range = target.firstRange(of: "/zoneinfo/") else { return nil }
        let name = String(target[range.upperBound...])
        return Self.isName(name) ? name : nil
    }

    /// True if tzdata has a zone of this name.
    package func knows(_ name: String) -> Bool { content(name) != nil }

    /// True if tzdata says that two names are of the same zone, as Asia/Calcutta and Asia/Kolkata are.
    package func isSame(_ one: String, _ other: String) -> Bool {
        guard one != other else { return true }
        guard let content = content(one) else { return false }
        return content == self.content(other)
    }

    /// True if the clocks of two zones show the same time from now on, under the same abbreviations. False for what tzdata does not
    /// know.
    package func showSameTime(_ one: String, _ other: String) -> Bool {
        guard one != other else { return true }
        guard let rule = rule(one) else { return false }
        return rule == self.rule(other)
    }

    /// The last line of a zone's file: the rule for all times after those that the file lists (RFC 9636, 3.3).
    private func rule(_ name: String) -> ArraySlice<UInt8>? {
        guard let lines = content(name)?.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false),
            lines.count > 2, let rule = lines.dropLast().last, !rule.isEmpty
        else { return nil }
        return rule
    }

    private func content(_ name: String) -> [UInt8]? {
        guard Self.isName(name), let content = try? SmallFile.read("\(directory)/\(name)", limit: 1 << 17),
            content.starts(with: "TZif".utf8)
        else { return nil }
        return content
    }

    /// True for a text that can be the name of a zone, and the path of a file below a directory.
    static func isName(_ text: String) -> Bool {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        return text.utf8.count <= 64
            && parts.allSatisfy { part in
                !part.isEmpty
                    && part.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "_-+".contains($0)) }
            }
    }
}
