import LocationModel
import LocationPolicy

@testable import LocationConfiguration
import TextSupport

/// A property list, read as each kind of file.
enum PropertyListFuzz {
    static func run(_ input: [UInt8]) throws {
        guard input.count <= ConfigurationFile.maximumSize else { return }
        let document: PropertyListDocument
        do throws(InvalidConfiguration) {
            document = try PropertyListDocument(input, file: "F")
        } catch {
            return try Finding.unless(!error.problems.isEmpty, "a list was refused without a reason")
        }
        try check(DaemonConfiguration.read(document), check)
        try check(ClientDeclaration.read(document), check)
    }

    private static func check<Value>(
        _ reading: DocumentReading<Value>, _ body: (Value) throws -> Void
    ) throws {
        if reading.problems.isEmpty {
            guard let value = reading.value else { throw Finding("a list was refused without a reason") }
            try body(value)
        }
        // Problems are printed to terminals and to the journal.
        for problem in reading.problems {
            try Finding.unless(!problem.description.isUnsafeToShow, "a message can move the cursor")
        }
    }

    private static func check(_ daemon: DaemonConfiguration) throws {
        let limits = daemon.limits
        try Finding.unless((4096...16_777_216).contains(limits.messageSize), "MessageSize \(limits.messageSize)")
        try Finding.unless((1...65_536).contains(limits.connectionsPerUser), "no connection, or too many")
        try Finding.unless((1...65_536).contains(limits.subscriptionsPerUser), "no subscription, or too many")
        try Finding.unless((65_536...1_073_741_824).contains(limits.bytesPerUser), "too few bytes, or too many")
        try Finding.unless((5...3600).contains(daemon.promptTimeout), "PromptTimeout \(daemon.promptTimeout)")
        try Finding.unless((0...3650).contains(daemon.historyDays), "HistoryDays \(daemon.historyDays)")
        try Finding.unless(
            (0...3650).contains(daemon.resetUnusedAfter), "ResetUnusedAfter \(daemon.resetUnusedAfter)")
        try Finding.unless(daemon.exitOnIdle.map { (1...86_400).contains($0) } ?? true, "ExitOnIdle out of range")
        let paths = (daemon.clientDirectories ?? []) + daemon.agents
        try Finding.unless(paths.allSatisfy { $0.hasPrefix("/") }, "a path that depends on where it is looked up")
    }

    private static func check(_ client: ClientDeclaration) throws {
        try Finding.unless(!client.identifier.isEmpty, "a client without a name")
        try Finding.unless(client.match.specificity > 0, "a client that nobody is")
        try Finding.unless(client.match.executable?.hasPrefix("/") ?? true, "an executable that depends on where it is")
        if let preset = client.policy.presetAuthorization {
            try Finding.unless(preset <= client.policy.maximumAuthorization, "more is preset than permitted")
            try Finding.unless(!client.policy.isRestricted, "something is preset for a client that is restricted")
        }
        var shown = [client.displayName, client.whenInUseUsageDescription ?? "", client.alwaysUsageDescription ?? ""]
        for (key, text) in client.temporaryFullAccuracyPurposes { shown += [key, text] }
        for text in shown {
            try Finding.unless(!text.isUnsafeToShow, "a prompt can move the cursor")
        }
    }
}
