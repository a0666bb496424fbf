import FoundationEssentials
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct TextsTests {
    @Test("the list of texts that people read is up to date", .timeLimit(.minutes(10)))
    func list() async throws {
        let directory = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Texts")
        let kept = String(decoding: try Data(contentsOf: directory.appending(path: "texts.txt")), as: UTF8.self)
        let now = try await ChildProcess.run(["/usr/bin/env", "python3", directory.appending(path: "extract").path])
        #expect(now.code == 0, "\(now.errors)")
        let lines = { (text: String) in Set(text.split(separator: "\n").map(String.init)) }
        let changed = lines(now.output).symmetricDifference(lines(kept)).sorted()
        #expect(changed.isEmpty, "make texts renews Tests/Texts/texts.txt; look at what changed in it")
    }
}
