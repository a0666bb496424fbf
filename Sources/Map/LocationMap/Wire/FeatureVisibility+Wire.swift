import MapModel

extension FeatureVisibility: Encodable {
    /// Encodes the visibility for the page.
    public func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        switch self {
        case .adaptive: try value.encode("adaptive")
        case .hidden: try value.encode("hidden")
        case .visible: try value.encode("visible")
        }
    }
}
