import LocationInterface
import LocationModel
import SeededRandom
import Testing
import Varlink

@testable import LocationCore
@testable import VarlinkFrontEnd

/// A location that is written member by member is what it encodes as.
@Suite("Encoding locations", .timeLimit(.minutes(10))) struct EncodedLocationTests {
    @Test("the fast encoding of a location equals that of its type")
    func fastEncodingMatchesType() throws {
        var random = SeededGenerator(seed: 4711)
        for _ in 0..<500 {
            let location = Self.location(using: &random)
            let delivery = LocationInterface.Subscribe.Reply(location: location)
            #expect(
                try EncodedReply(location: location, continues: true).buffer
                    == EncodedReply(delivery, continues: true).buffer)
            let answer = LocationInterface.GetLocation.Reply(location: location)
            #expect(
                try EncodedReply(location: location, continues: false).buffer
                    == EncodedReply(answer, continues: false).buffer)
        }
    }

    @Test("encoding NaN or an infinity throws")
    func nonFiniteNumberIsAnError() throws {
        var random = SeededGenerator(seed: 1)
        var location = Self.location(using: &random)
        location.speed = .nan
        #expect(throws: EncodingError.self) { try EncodedReply(location: location, continues: true) }
    }

    /// One of which some members are known and others not.
    private static func location(using random: inout SeededGenerator) -> Location {
        func number(_ range: ClosedRange<Double>) -> Double? {
            Bool.random(using: &random) ? .random(in: range, using: &random) : nil
        }
        let coordinate = Coordinate(
            clampingLatitude: .random(in: -90...90, using: &random),
            wrappingLongitude: .random(in: -180...180, using: &random))
        var location = Location(
            coordinate: coordinate,
            timestamp: Timestamp(nanosecondsSince1970: .random(in: 0...2_000_000_000_000_000_000, using: &random)))
        location.altitude = number(-100...9000)
        location.ellipsoidalAltitude = number(-100...9000)
        location.horizontalAccuracy = number(0...100)
        location.verticalAccuracy = number(0...100)
        location.course = number(0...359)
        location.courseAccuracy = number(0...180)
        location.speed = number(0...300)
        location.speedAccuracy = number(0...10)
        if Bool.random(using: &random) {
            location.sourceInformation = .init(
                isSimulated: .random(using: &random), device: Bool.random(using: &random) ? "/dev/\"tty\"\n" : nil)
        }
        return location
    }
}
