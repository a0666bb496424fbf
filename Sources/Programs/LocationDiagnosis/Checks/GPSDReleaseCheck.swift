/// Checks the release of gpsd for published errors by which its clients and receivers can attack it.
///
/// The attackers are the programs that can connect to gpsd, and the machines that can send data to one of its network sources. A
/// distribution may have corrected these errors without changing the release's number; this check cannot see that.
package struct GPSDReleaseCheck: Check {
    /// The release, as gpsd reports it; `nil` if it is not known.
    package var release: String?
    /// True if others than the service may ask gpsd.
    package var isOpen: Bool
    /// True if `--fix` can close it.
    package var isFixable = true

    package init(release: String?, isOpen: Bool) {
        (self.release, self.isOpen) = (release, isOpen)
    }

    package var findings: [Finding] {
        guard let release, let number = Self.number(release), let errors = Self.errors(in: number) else { return [] }
        guard isOpen else {
            return .ok(
                .gpsdRelease,
                "gpsd \(release) is closed to others; \(errors), unless the distribution has corrected them",
                subject: release)
        }
        return .advice(
            .gpsdRelease, "gpsd \(release) is open to others, who could attack it: \(errors)",
            remedy:
                "The distribution may have corrected them and kept the number: see its security notices for gpsd."
                + (isFixable ? "\nTo let only locationd ask gpsd, run: sudo locationctl doctor --fix" : ""),
            subject: release)
    }

    /// The last release known to have the errors of gpsd's work item 397, and the first one without those of 2025.
    private static let (lastWithErrors, firstCorrected) = ([3, 27, 5], [3, 27, 1])

    /// The published errors in a release, as a clause; `nil` without any.
    private static func errors(in number: [Int]) -> String? {
        guard !lastWithErrors.lexicographicallyPrecedes(number) else { return nil }
        let older =
            number.lexicographicallyPrecedes(firstCorrected)
            ? ", and so are CVE-2025-67268 and CVE-2025-67269, corrected in 3.27.1" : ""
        return
            "eight memory errors in how releases up to 3.27.5 read receivers and requests are published (gpsd's work item 397)"
            + older
    }

    /// The number of a release, such as 3.22 or 3.27.5; `nil` for another text, and for a version between two releases.
    private static func number(_ release: String) -> [Int]? {
        let parts = release.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count >= 2, !parts.contains(nil) else { return nil }
        return parts.compactMap { $0 }
    }
}
