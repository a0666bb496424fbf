import Testing
import VarlinkIDL

@testable import Varlink

@Suite(.timeLimit(.minutes(10))) struct ServiceInterfaceTests {
    @Test("the interface of every service is parsed")
    func describesItself() throws {
        let own = try InterfaceDescription(InterfaceDescription.serviceText)
        #expect(own.methods.map(\.name) == ["GetInfo", "GetInterfaceDescription"])
        #expect(own.errors.count == 6)
    }
}
