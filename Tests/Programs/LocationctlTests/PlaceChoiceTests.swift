import Testing

@testable import PlaceSearch
@testable import locationctl

@Suite("The place chosen for a name", .timeLimit(.minutes(10)))
struct PlaceChoiceTests {
    private func town(
        _ state: String, kind: FoundPlace.Kind = .settlement, name: String = "Springfield", bounds: [Double]? = nil
    ) -> FoundPlace {
        var address = PlaceAddress()
        (address.administrativeArea, address.country) = (state, "United States")
        return FoundPlace(
            id: state, name: name, kind: kind, latitude: 39.8, longitude: -89.6, address: address, bounds: bounds)
    }

    @Test(
        "of several places with a name the first is used, and the others are named with the command that chooses them")
    func othersOfTheNameAreNamed() throws {
        let choice = try #require(
            PlaceChoice([
                town("Illinois"), town("Missouri"), town("Missouri"), town("Illinois", kind: .street),
                town("Ohio", name: "New Springfield"),
            ]))
        #expect(
            choice.lines("sudo locationctl sources fixed set") == [
                "Taken: Springfield, Illinois, United States. To take another place of this name, run:",
                "  sudo locationctl sources fixed set 39.8 -89.6   # Springfield, Missouri, United States",
            ])
        #expect(try #require(PlaceChoice([town("Ohio")])).lines("") == ["Taken: Springfield, Ohio, United States"])
        #expect(PlaceChoice([]) == nil)
    }

    @Test("the radius is the place's size, and a country has none")
    func radiusIsTheSizeOfThePlace() throws {
        #expect(try #require(PlaceChoice([town("Ohio")])).radius == 3000)
        #expect(try #require(PlaceChoice([town("Ohio", kind: .country)])).radius == nil)
        let radius = try #require(
            PlaceChoice([town("Ohio", bounds: [-89.61, 39.79, -89.59, 39.81])])?.radius)
        #expect((1400...1410).contains(radius))
    }
}
