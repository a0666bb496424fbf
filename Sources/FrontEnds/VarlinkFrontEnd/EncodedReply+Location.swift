import LocationInterface
import LocationModel
import Varlink

extension EncodedReply {
    /// The reply of `Subscribe` and `GetLocation` with a location and nothing else. Written member by member for speed,
    /// because every fix is encoded; the result is the one that `Location` itself encodes.
    init(location: Location, continues: Bool) throws {
        try self.init(continues: continues) { try $0.add("location") { try $0.add(location) } }
    }
}

extension JSONMembers {
    fileprivate mutating func add(_ location: Location) throws {
        try add("latitude", location.coordinate.latitude)
        try add("longitude", location.coordinate.longitude)
        for (key, value) in Location.optionalValues { try add(key.rawValue, location[keyPath: value]) }
        try add("fixType", location.fixType?.rawValue)
        try add("timestamp", location.timestamp.description)
        guard let source = location.sourceInformation else { return }
        try add("sourceInformation") {
            try $0.add("kind", source.kind?.rawValue)
            try $0.add("isSimulated", source.isSimulated)
            try $0.add("isProducedByAccessory", source.isProducedByAccessory)
            try $0.add("device", source.device)
        }
    }
}
