import LocationModel
import LocationPolicy
import LocationSources
import Logging
import NIOCore
import NIOEmbedded
import Testing

@testable import LocationCore

@Suite(.timeLimit(.minutes(10))) struct GateTests {
    private final class Somebody: Recipient {
        let client: Client
        private let isInUse: Bool
        init(_ client: Client, isInUse: Bool) { (self.client, self.isInUse) = (client, isInUse) }
        func evaluation(at position: Position?) -> AccessEvaluation { client.evaluation(isInUse: isInUse) }
    }

    /// Recipients with every kind of access.
    private let recipients: [Somebody] = {
        var recipients: [Somebody] = []
        let rules = RuleDirectory(clock: RuleClock(now: Timestamp.now), newest: { nil }, logger: Logger(label: "test"))
        let user = User(id: 4242, desktopLimit: nil, rules: rules.rules(of: 4242))
        for grant in [nil] + AuthorizationRecord.Grant.allCases {
            for accuracy in [nil, AccuracyAuthorization.full, .reduced] {
                var (restricted, preset) = (ClientPolicy(), ClientPolicy())
                restricted.isRestricted = true
                (preset.presetAuthorization, preset.maximumAccuracy) = (.always, .reduced)
                for policy in [ClientPolicy(), restricted, preset] {
                    for isOn in [true, false] {
                        var record = AuthorizationRecord()
                        record.grant = grant
                        record.accuracy = accuracy
                        var declaration = ClientDeclaration(
                            identifier: "org.example.App", match: ClientMatch(), file: "/etc/org.example.App.plist")
                        declaration.policy = policy
                        let client = Client(
                            key: ClientKey(userID: user.id, client: declaration.identifier), user: user,
                            declaration: declaration,
                            authorization: ClientAuthorization(
                                record: record,
                                circumstances: .init(declaration: declaration, isEnabledForMachine: isOn)))
                        recipients += [true, false].map { Somebody(client, isInUse: $0) }
                    }
                }
            }
        }
        return recipients
    }()

    private let loop = EmbeddedEventLoop()

    private func publication(expiry: NIODeadline? = nil) -> Publication {
        Publication(
            Location(coordinate: Coordinate(latitude: 48, longitude: 11), timestamp: .now()),
            arrival: loop.now, number: 1, expiry: expiry)
    }

    /// Has the sources supply a location, which are watched from then on.
    private func supplyLocation(to gate: Gate) -> Publication {
        let location = publication().location
        _ = gate.setDemand(.continuous)
        let actions = gate.receive(.location(location))
        guard case .publish(let publication) = actions.last else { preconditionFailure("a location is published") }
        return publication
    }

    /// A position of each kind that has come now.
    private func contents(_ newest: Publication) -> [Disclosure.Content] {
        [
            .location(newest), .reduced(publication(expiry: loop.now + .minutes(15))),
            .frame(
                SharedFrame(
                    TrackingFrame(
                        coordinate: Coordinate(latitude: 48, longitude: 11), horizontalAccuracy: 5, span: 20,
                        timestamp: .now()), at: loop.now, from: nil)),
            .heading(SharedHeading(Heading(trueHeading: 5, timestamp: .now()), arrival: loop.now)),
        ]
    }

    @Test("nothing passes that is not permitted at this moment, as exactly as it is")
    func access() {
        let gate = Gate(eventLoop: loop, wallClock: Timestamp.now)
        let newest = supplyLocation(to: gate)
        for recipient in recipients {
            for content in contents(newest) {
                let passes = gate.pass(content, to: recipient) != nil
                let isReduced = if case .reduced = content { true } else { false }
                switch recipient.evaluation.access {
                case .permitted(.full): #expect(passes == !isReduced)
                case .permitted(.reduced): #expect(passes == isReduced)
                case .suspended, .undecided, .refused: #expect(!passes)
                }
            }
        }
        // Else nothing was tested.
        #expect(Set(recipients.map(\.evaluation.access)).count == 4)
    }

    @Test("a position passes while it is fresh by its own time, whoever asks")
    func freshness() {
        let gate = Gate(eventLoop: loop, wallClock: Timestamp.now)
        func passing(_ contents: [Disclosure.Content]) -> [Bool] {
            contents.map { content in recipients.contains { gate.pass(content, to: $0) != nil } }
        }
        let unknown = contents(publication())
        #expect(passing(unknown) == [false, true, true, true], "the source has no location")
        let unwatched = contents(supplyLocation(to: gate))
        _ = gate.setDemand(.off)
        loop.advanceTime(by: .milliseconds(2999))
        #expect(passing(unwatched) == [true, true, true, true])
        loop.advanceTime(by: .milliseconds(1))
        #expect(passing(unwatched) == [false, true, false, false], "three seconds after its arrival")
        let contents = contents(supplyLocation(to: gate))
        loop.advanceTime(by: .seconds(3))
        #expect(passing(contents) == [true, true, false, false], "the source would report that it has gone stale")
        _ = supplyLocation(to: gate)
        #expect(passing(contents) == [false, true, false, false], "an old one, of which there is a newer one")
        loop.advanceTime(by: .minutes(15))
        #expect(passing(contents) == [false, false, false, false], "the next reduced location is due")
        #expect(passing([.reduced(publication())]) == [false], "an exact location")
    }
}
