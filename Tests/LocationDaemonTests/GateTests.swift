import LocationModel
import LocationPolicy
import LocationSources
import NIOCore
import Testing

@testable import GeoClueFrontEnd
@testable import LocationCore
@testable import LocationDaemon
@testable import PeerIdentification
@testable import VarlinkFrontEnd

@Suite struct GateTests {
    private final class Somebody: Recipient {
        let evaluation: AccessEvaluation
        init(_ evaluation: AccessEvaluation) { self.evaluation = evaluation }
    }

    /// Recipients with every kind of access.
    private let recipients: [Somebody] = {
        var recipients: [Somebody] = []
        for grant in [nil] + AuthorizationRecord.Grant.allCases {
            for accuracy in [nil, AccuracyAuthorization.full, .reduced] {
                for policy in [ClientPolicy(), .restricted, .preset(.always, accuracy: .reduced)] {
                    for isOn in [true, false] {
                        var record = AuthorizationRecord()
                        record.grant = grant
                        record.accuracy = accuracy
                        let machine = ClientAuthorization(
                            record: record,
                            circumstances: .init(declaration: .example(policy: policy), isEnabledForMachine: isOn))
                        for isInUse in [true, false] {
                            recipients.append(Somebody(machine.evaluate(isInUse: isInUse)))
                        }
                    }
                }
            }
        }
        return recipients
    }()

    private static func publication() -> Publication {
        Publication(
            Location(coordinate: Coordinate(latitude: 48, longitude: 11)!, timestamp: .now()),
            arrival: .uptimeNanoseconds(0), number: 1)
    }

    private let contents: [Disclosure.Content] = [
        .location(publication()), .reduced(publication()),
        .frame(
            SharedFrame(
                TrackingFrame(
                    coordinate: Coordinate(latitude: 48, longitude: 11)!, horizontalAccuracy: 5, span: 20,
                    timestamp: .now()), from: nil)),
        .heading(SharedHeading(Heading(trueHeading: 5, timestamp: .now()))),
    ]

    @Test("nothing passes that is not permitted at this moment, as exactly as it is")
    func access() {
        for recipient in recipients {
            for content in contents {
                let passes = Gate.pass(content, to: recipient, isFresh: true) != nil
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

    @Test("nothing stale passes, whoever asks")
    func freshness() {
        for recipient in recipients {
            for content in contents { #expect(Gate.pass(content, to: recipient, isFresh: false) == nil) }
        }
    }
}
