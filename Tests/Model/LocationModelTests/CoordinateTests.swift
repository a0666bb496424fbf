import FoundationEssentials
import LocationModel
import Testing

@Suite("Coordinates")
struct CoordinateTests {
    @Test("a coordinate is described and kept by its degrees, exactly")
    func kept() throws {
        let coordinate = Coordinate(latitude: -33.12345678901234, longitude: 179.99999999999997)
        #expect("\(coordinate)" == "-33.12345678901234, 179.99999999999997")
        #expect(try JSONDecoder().decode(Coordinate.self, from: JSONEncoder().encode(coordinate)) == coordinate)
    }

    @Test(
        "degrees that are out of range, or missing, are not read",
        arguments: [
            #"{"latitude":90.1,"longitude":0}"#, #"{"latitude":0,"longitude":-180.5}"#, #"{"latitude":0}"#, "[0,0]",
        ])
    func refused(json: String) {
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(Coordinate.self, from: Data(json.utf8)) }
    }
}
