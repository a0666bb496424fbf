import Foundation
import LocationModel
import LocationPolicy
import LocationStore
import TestSupport

extension TemporaryDirectory {
    var database: String { "\(path)/locationd.db" }

    /// The names in the directory.
    var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] }

    func open() throws(StoreError) -> (store: LocationStore, opening: StoreOpening) {
        try LocationStore.open(directory: path, now: .example)
    }

    func bytes() throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: database))) }

    func write(_ bytes: [UInt8]) throws { try Data(bytes).write(to: URL(fileURLWithPath: database)) }
}

extension Timestamp {
    /// 2026-11-21T08:30:00Z.
    static let example = Timestamp(nanosecondsSince1970: 1_795_249_800_000_000_000)
}

extension ClientKey {
    static let weather = ClientKey(userID: 1000, client: "org.example.Weather")
    static let maps = ClientKey(userID: 1001, client: "org.example.Maps")
}

extension AuthorizationRecord {
    init(_ grant: Grant?, hasUsedUpgradePrompt: Bool = false, accuracy: AccuracyAuthorization? = nil) {
        self.init()
        self.grant = grant
        self.hasUsedUpgradePrompt = hasUsedUpgradePrompt
        self.accuracy = accuracy
    }
}

extension DecisionOrigin {
    static let user = DecisionOrigin(userID: 1000, manner: .prompt, timestamp: .example)
    static let damage = DecisionOrigin(userID: 0, manner: .damage, timestamp: .example)
    static let root = DecisionOrigin(userID: 0, manner: .command, timestamp: .example.advanced(by: .seconds(60)))
}
