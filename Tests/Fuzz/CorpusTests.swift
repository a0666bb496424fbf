import FoundationEssentials
import LocationInterface
import LocationModel
import NIOCore
import Testing
import Varlink

/// Replays the inputs in the corpus, none of which may cause a finding.
@Suite(.timeLimit(.minutes(10))) struct CorpusTests {
    @Test(arguments: FuzzTarget.allCases)
    func everyInputIsHarmless(target: FuzzTarget) throws {
        let folder = #filePath.dropLast("CorpusTests.swift".count) + "Corpus/\(target.rawValue)"
        let names = try FileManager.default.contentsOfDirectory(atPath: String(folder)).sorted()
        #expect(!names.isEmpty)
        for name in names {
            let input = [UInt8](try Data(contentsOf: URL(filePath: "\(folder)/\(name)")))
            #expect(throws: Never.self, "\(target) \(name)") { try target.run(input) }
        }
    }

    @Test func anInputThatIsNotHarmlessIsNoticed() throws {
        var book = AnswerBook()
        #expect(throws: Finding.self) { try book.note(.init(string: "{\"parameters\":{}}\0"), calls: []) }
    }

    @Test func exactLocationIsRecognizedByItsMark() throws {
        for number in 0..<256 {
            let location = FuzzedDaemon.location(number)
            let reply = try EncodedReply(["location": location], continues: true)
            #expect(String(buffer: reply.buffer).contains(FuzzedDaemon.mark(of: location)))
        }
    }
}
