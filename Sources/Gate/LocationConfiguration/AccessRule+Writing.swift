package import LocationPolicy

extension WeeklyHours {
    /// The value of `Hours`; `nil` for whole days.
    package var hoursText: String? {
        guard start != end else { return nil }
        return "\(WeeklyHours.clock(start))-\(WeeklyHours.clock(end == 0 ? 1440 : end))"
    }

    /// The value of `Days`; `nil` for all.
    package var daysText: [String]? { days.count < 7 ? days.sorted().map(\.name) : nil }
}

extension AccessRule {
    /// The rule as an XML property list, for the store.
    package var propertyList: String {
        let element = PropertyListEditor.element(dictionary, indentation: "", unit: "", newline: "")
        return "<plist version=\"1.0\">\(element)</plist>"
    }
}
