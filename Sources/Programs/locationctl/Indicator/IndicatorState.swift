import Localization
import LocationInterface
import LocationModel
import LocationServiceManagement
import StatusNotifier

/// Decides what the item in the desktop's panel shows while programs are given the location, and what its menu's entries do.
///
/// A state machine without effects. The item is there while a program has the location that is not on the quiet list; it lists those that
/// are as well.
struct IndicatorState {
    /// What an entry of the menu does.
    enum Choice: Hashable {
        /// Take the location from a program.
        case stop(client: String, name: String)
        case showPrivacyPage
    }

    private let catalogue: Catalogue
    private let hasPrivacyPage: Bool
    /// The last number of an entry. None is used for another entry later, since a panel may show an earlier menu.
    private var lastID: Int32 = 0
    /// The numbers of the entries of each program, which it keeps: for its line, and for stopping it.
    private var numbers: [String: (line: Int32, stop: Int32)] = [:]
    /// The number of the separator and that of the entry for the privacy page.
    private var fixed: (separator: Int32, page: Int32)?
    /// What the entries of the menu that is shown do.
    private var choices: [Int32: Choice] = [:]

    init(hasPrivacyPage: Bool, catalogue: Catalogue = .current) {
        (self.hasPrivacyPage, self.catalogue) = (hasPrivacyPage, catalogue)
    }

    /// What an entry of the menu that is shown does; `nil` for one that is not in it.
    func choice(_ entry: Int32) -> Choice? { choices[entry] }

    /// Returns the item for the programs that are given the location now; `nil` for none.
    mutating func item(
        for accesses: [LocationServiceManager.CurrentAccess], now: Timestamp = .now()
    ) -> StatusItem? {
        choices = [:]
        let shown = accesses.filter { $0.isQuiet != true }
        guard !shown.isEmpty else { return nil }
        let all = shown + accesses.filter { $0.isQuiet == true }
        let lines = all.map { $0.line(in: catalogue, now: now) }
        var menu: [StatusItem.Entry] = []
        for (access, line) in zip(all, lines) {
            let numbers = numbers(of: access.client)
            let label = catalogue.text("Stop {name} from using your location", ["name": access.shownName])
            menu.append(StatusItem.Entry(id: numbers.line, label: line, isEnabled: false))
            menu.append(StatusItem.Entry(id: numbers.stop, label: label))
            choices[numbers.stop] = .stop(client: access.client, name: access.shownName)
        }
        if hasPrivacyPage {
            let fixed = fixedNumbers()
            menu.append(.separator(id: fixed.separator))
            menu.append(StatusItem.Entry(id: fixed.page, label: catalogue.text("Privacy…")))
            choices[fixed.page] = .showPrivacyPage
        }
        return StatusItem(title: catalogue.text("Your location is in use"), details: lines, menu: menu)
    }

    private mutating func nextID() -> Int32 {
        lastID += 1
        return lastID
    }

    private mutating func numbers(of client: String) -> (line: Int32, stop: Int32) {
        if let known = numbers[client] { return known }
        let new = (line: nextID(), stop: nextID())
        numbers[client] = new
        return new
    }

    private mutating func fixedNumbers() -> (separator: Int32, page: Int32) {
        if let fixed { return fixed }
        let new = (separator: nextID(), page: nextID())
        fixed = new
        return new
    }
}
