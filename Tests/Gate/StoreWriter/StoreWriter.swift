import Glibc
import LocationModel
import LocationPolicy
import LocationStore

/// `StoreWriter DIRECTORY FIRST`: saves decisions number FIRST, FIRST + 1, … in a store for ever, and writes the number
/// of each as a line, once it is saved.
@main struct StoreWriter {
    static func main() throws {
        guard CommandLine.arguments.count == 3, var number = UInt32(CommandLine.arguments[2]) else { exit(2) }
        let (store, _) = try LocationStore.open(
            directory: CommandLine.arguments[1], now: Timestamp(nanosecondsSince1970: 0))
        while true {
            try store.save(.numbered(number), for: .numbered(number), origin: .numbered(number))
            let line = Array("\(number)\n".utf8)
            guard write(STDOUT_FILENO, line, line.count) == line.count else { exit(1) }
            number += 1
        }
    }
}

extension ClientKey {
    /// Seven clients take turns.
    static func numbered(_ number: UInt32) -> ClientKey {
        ClientKey(userID: 1000, client: "org.example.client\(number % 7)")
    }
}

extension AuthorizationRecord {
    static func numbered(_ number: UInt32) -> AuthorizationRecord {
        var record = AuthorizationRecord()
        record.grant = Grant.allCases[Int(number) % Grant.allCases.count]
        record.hasUsedUpgradePrompt = number.isMultiple(of: 3)
        return record
    }
}

extension DecisionOrigin {
    /// A decision whose time is the number.
    static func numbered(_ number: UInt32) -> DecisionOrigin {
        DecisionOrigin(userID: 1000, manner: .prompt, timestamp: Timestamp(nanosecondsSince1970: Int64(number)))
    }
}
