import LocationConditions
import LocationCore
import LocationInterface
import LocationModel
import LocationPolicy
import Testing

/// Names that are converted as they are between the service and its interfaces.
@Suite("Names in the interfaces")
struct InterfaceNameTests {
    @Test("the parts that managers follow have their names in the interface")
    func parts() {
        #expect(ManagedPart.allCases.map(\.rawValue) == ManagerInterface.Part.allCases.map(\.rawValue))
    }

    @Test("the mistakes in geofences have their names in the interface")
    func mistakes() {
        let reasons = MonitorInterface.InvalidCondition.Reason.allCases.map(\.rawValue)
        #expect(GeographicConditionError.Code.allCases.map(\.rawValue) == reasons)
    }

    @Test("the obstacles to use have their names among the reasons for programs")
    func obstacles() {
        let reasons = LocationReason.allCases.map(\.rawValue)
        #expect(UseObstacle.allCases.allSatisfy { reasons.contains($0.rawValue) })
    }
}
