import LocationModel
package import LocationPolicy

extension AccessRule {
    /// The rule as a dictionary, which ``read(_:id:file:)`` accepts; without its identifier.
    package var dictionary: PropertyListValue {
        var entries: [String: PropertyListValue] = [:]
        var when: [String: PropertyListValue] = [:]
        for condition in conditions {
            switch condition {
            case .during(let hours):
                if hours.start != hours.end {
                    let end = hours.end == 0 ? 1440 : hours.end
                    when["Hours"] = .string("\(WeeklyHours.clock(hours.start))-\(WeeklyHours.clock(end))")
                }
                if hours.days.count < 7 {
                    when["Days"] = .array(hours.days.sorted().map { .string($0.name) })
                }
            case .inside(let place): when["Inside"] = .string(place)
            case .outside(let place): when["Outside"] = .string(place)
            case .onBattery: when["OnBattery"] = .boolean(true)
            case .sessionLocked: when["SessionLocked"] = .boolean(true)
            case .nobodyPresent: when["NobodyPresent"] = .boolean(true)
            }
        }
        if !when.isEmpty { entries["When"] = .dictionary(when) }
        if limit.isDenial { entries["Deny"] = .boolean(true) }
        if limit.maximumAuthorization == .whenInUse { entries["MaximumAuthorization"] = .string("whenInUse") }
        if limit.maximumAccuracy == .reduced { entries["MaximumAccuracy"] = .string("reduced") }
        if let interval = limit.minimumInterval {
            entries["MinimumInterval"] = .integer(Int(interval.components.seconds))
        }
        switch scope {
        case .everyone(let exceptions):
            if !exceptions.isEmpty { entries["Except"] = .array(exceptions.sorted().map { .string($0) }) }
        case .only(let clients): entries["Clients"] = .array(clients.sorted().map { .string($0) })
        }
        return .dictionary(entries)
    }

    /// The rule as an XML property list, for the store.
    package var propertyList: String {
        let element = PropertyListEditor.element(dictionary, indentation: "", unit: "", newline: "")
        return "<plist version=\"1.0\">\(element)</plist>"
    }
}
