import LocationModel
import Testing

@Suite("Open enumerations")
struct OpenEnumerationTests {
    private func names<Cases: OpenEnumeration>(_ type: Cases.Type) -> [String] {
        Cases.allCases.map { known in
            #expect(known.rawValue == "\(known)" && Cases(rawValue: known.rawValue) == known)
            return known.rawValue
        }
    }

    @Test("each case has its own name, and is read by it")
    func names() {
        for names in [
            names(Location.SourceInformation.Kind.self), names(PromptChoice.self), names(LocationDiagnostic.self),
            names(LocationReason.self), names(Location.FixType.self),
        ] {
            #expect(Set(names).count == names.count)
        }
        #expect(LocationReason(rawValue: "eclipse") == .unknown("eclipse"))
        #expect(LocationReason.unknown("eclipse").rawValue == "eclipse")
    }
}
