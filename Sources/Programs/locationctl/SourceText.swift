import LocationModel

extension Location.SourceInformation {
    /// The words for the source in a line of a location: nothing for a receiver, which is what people expect.
    var note: String? {
        if isSimulated { return "simulated" }
        return switch kind {
        case .receiver?, nil: nil
        case .modem?: "modem"
        case .wifi?: "Wi-Fi"
        case .fixed?: "fixed position"
        case .unknown(let name)?: name
        }
    }

    /// The source as a row of its own; `nil` if nothing is known of it.
    var sentence: String? {
        let name = kind?.words
        if isSimulated { return "simulated" + (device.map { " (\($0))" } ?? "") }
        guard let device else { return name }
        return device
            + (isProducedByAccessory ? ", connected to this machine" : kind == .modem ? ", \(kind?.words ?? "")" : "")
    }
}

extension Location.SourceInformation.Kind {
    /// The kind in words.
    var words: String {
        switch self {
        case .receiver: "receiver"
        case .modem: "modem's receiver"
        case .wifi: "Wi-Fi positioning"
        case .fixed: "fixed position"
        case .unknown(let name): name
        }
    }
}

extension Location {
    /// The words for the source and the fix in a line of a location: nothing for a usual fix of a receiver.
    var note: String? {
        let words = [sourceInformation?.note, fixType?.note].compactMap { $0 }
        return words.isEmpty ? nil : words.joined(separator: ", ")
    }
}

extension Location.FixType {
    /// The words for a fix that is not by satellites and SBAS alone.
    var note: String? {
        switch self {
        case .standard, .differential, .combined: nil
        case .precise: "precise code"
        case .rtkFloat: "RTK float"
        case .rtkFixed: "RTK fixed"
        case .deadReckoning: "dead reckoning"
        case .surveyed: "surveyed"
        case .unknown(let name): name
        }
    }
}
