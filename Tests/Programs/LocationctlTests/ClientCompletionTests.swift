import LocationInterface
import LocationModel
import Testing

@testable import locationctl

@Suite("The completion of clients")
struct ClientCompletionTests {
    @Test(
        "an undeclared program is offered by its name and by its path; no word has a colon, at which bash ends it",
        arguments: [
            ("org.example.app", "App", ["org.example.app"]),
            ("/usr/bin/gpspipe", "gpspipe", ["gpspipe", "/usr/bin/gpspipe"]),
            ("flatpak:org.example.Map", "org.example.Map", ["org.example.Map"]),
        ])
    func words(identifier: String, name: String, offered: [String]) {
        let client = ManagerInterface.Client(
            client: identifier, displayName: name, userID: 1, status: .notDetermined, accuracy: .full,
            isConnected: false,
            isInUse: false)
        #expect(client.words == offered)
    }
}
