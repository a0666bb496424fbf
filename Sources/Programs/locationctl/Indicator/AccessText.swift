import CommandLineSupport
import DesktopNotifications
import Localization
import LocationInterface
import LocationModel

extension ManagerInterface.CurrentAccess {
    /// Its name in one line. A declaration's vendor wrote it.
    var shownName: String { displayName.shown(limit: 64) }

    /// A line about it: name, accuracy, and since when.
    func line(in catalogue: Catalogue, now: Timestamp = .now()) -> String {
        let values = ["name": shownName, "time": Clock.near(from, now: now)]
        return switch accuracy {
        case .full: catalogue.text("{name}: exact location, since {time}", values)
        case .reduced: catalogue.text("{name}: approximate location, since {time}", values)
        case nil: catalogue.text("{name}: notified of places, since {time}", values)
        }
    }
}

/// The programs that are given the location now, in a line of text for `locationctl status --watch`.
enum AccessText {
    static func line(_ accesses: [ManagerInterface.CurrentAccess]) -> String {
        guard !accesses.isEmpty else { return "No program is using your location." }
        let names = accesses.map { access in
            let accuracy =
                switch access.accuracy {
                case .full: " (exact)"
                case .reduced: " (approximate)"
                case nil: " (notified of places)"
                }
            return access.shownName + accuracy + (access.isQuiet == true ? " (quiet)" : "")
        }
        return "Using your location: \(names.joined(separator: ", "))"
    }
}

/// The output for a module of the type `custom` in waybar, with `return-type` `json`.
struct WaybarModule: Encodable, Hashable {
    /// The names of the programs that light an indicator; empty, so that waybar can hide the module, if there are none.
    let text: String
    /// `active`, `quiet` if only programs of the quiet list have the location, or `idle`; for `format-icons`.
    let alt: String
    let tooltip: String
    /// The same as `alt`, for the style sheet.
    let `class`: String

    /// - Parameter accesses: The programs. waybar reads texts as markup, and names are written by others, so they are escaped.
    init(
        _ accesses: [ManagerInterface.CurrentAccess], in catalogue: Catalogue = .current, now: Timestamp = .now()
    ) {
        let shown = accesses.filter { $0.isQuiet != true }
        text = shown.map(\.shownName.markupEscaped).joined(separator: ", ")
        alt = accesses.isEmpty ? "idle" : shown.isEmpty ? "quiet" : "active"
        `class` = alt
        tooltip =
            accesses.isEmpty
            ? catalogue.text("No program is using your location.").markupEscaped
            : accesses.map { $0.line(in: catalogue, now: now).markupEscaped }.joined(separator: "\n")
    }
}
