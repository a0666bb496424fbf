import PlaceFixtures

@main
struct SearchBenchmark {
    static func main() async throws {
        for extract in ExtractIndex.Extract.allCases {
            print(try await ExtractIndex.write(extract, to: ".build/map-fixtures/\(extract.rawValue).places"))
        }
    }
}
