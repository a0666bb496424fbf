extension FleetMessageFlaw {
    /// The sentences for messages that were not used, by the numbers of them.
    ///
    /// - Parameter tooMany: the phrase for messages of vehicles for which there was no room.
    package static func sentences(about flaws: [FleetMessageFlaw: Int], _ tooMany: String) -> [String] {
        var (encrypted, future, old, many, others) = (0, 0, 0, 0, 0)
        for (flaw, count) in flaws {
            switch flaw {
            case .encrypted: encrypted += count
            case .inFuture: future += count
            case .tooOld: old += count
            case .tooManyVehicles: many += count
            case .foreignTopic, .tooLong, .notJSON, .missing, .outOfRange: others += count
            }
        }
        func sentence(_ count: Int, _ words: String) -> String? {
            count > 0 ? "Left out: \(count) \(count == 1 ? "message" : "messages") \(words)." : nil
        }
        return [
            sentence(encrypted, "encrypted with a passphrase of OwnTracks"),
            sentence(future, "with a time in the future. Check the clocks of this machine and of the vehicles"),
            sentence(old, "with a position older than a year"),
            sentence(many, tooMany),
            sentence(others, "without a position that can be read"),
        ].compactMap(\.self)
    }
}
