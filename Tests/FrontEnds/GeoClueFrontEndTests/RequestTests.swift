import GeoClueFrontEnd
import Testing

@Suite("Requests", .timeLimit(.minutes(10))) struct RequestTests {
    private static let manager = "/org/freedesktop/GeoClue2/Manager"
    private static let client = "/org/freedesktop/GeoClue2/Client/7"
    private static let location = "/org/freedesktop/GeoClue2/Client/7/Location/0"
    private static let properties = "org.freedesktop.DBus.Properties"

    private static func request(
        _ path: String, _ interface: String?, _ member: String, _ arguments: [BusValue]? = []
    ) throws(BusError) -> Request {
        try Request(path: path, interface: interface, member: member, arguments: arguments)
    }

    @Test func whatClientsCall() throws {
        let manager = "org.freedesktop.GeoClue2.Manager"
        let client = "org.freedesktop.GeoClue2.Client"
        #expect(try Self.request(Self.manager, manager, "GetClient") == .getClient)
        #expect(try Self.request(Self.manager, manager, "CreateClient") == .createClient)
        #expect(try Self.request(Self.manager, manager, "DeleteClient", [.path(Self.client)]) == .deleteClient(7))
        #expect(try Self.request(Self.manager, manager, "DeleteClient", [.path("/")]) == .deleteClient(nil))
        #expect(try Self.request(Self.manager, manager, "AddAgent", [.text("gnome-shell")]) == .addAgent)
        #expect(try Self.request(Self.client, client, "Start") == .start(client: 7))
        #expect(try Self.request(Self.client, nil, "Stop") == .stop(client: 7))
        #expect(
            try Self.request(Self.location, Self.properties, "GetAll", [.text("org.freedesktop.GeoClue2.Location")])
                == .properties(.location(client: 7, number: 0)))
        #expect(
            try Self.request(Self.client, Self.properties, "Get", [.text(client), .text("Location")])
                == .property(.client(7), "Location"))
        #expect(
            try Self.request(
                Self.client, Self.properties, "Set", [.text(client), .text("DesktopId"), .text("gammastep")])
                == .set(client: 7, .desktopID("gammastep")))
        #expect(
            try Self.request("/org/freedesktop/GeoClue2", "org.freedesktop.DBus.Introspectable", "Introspect")
                == .introspect(nil))
    }

    @Test(
        "a call outside of GeoClue's interfaces gets an error with the reason",
        arguments: [
            (Self.manager, "org.freedesktop.GeoClue2.Client", "Start", [], "UnknownInterface"),
            (Self.manager, "org.freedesktop.GeoClue2.Manager", "Start", [], "UnknownMethod"),
            (Self.client, "org.freedesktop.GeoClue2.Client", "Start", [.text("now")], "InvalidArgs"),
            (Self.client, "org.freedesktop.GeoClue2.Client", "Start", nil, "InvalidArgs"),
            ("/org/freedesktop/GeoClue2/Client/07", nil, "Start", [], "UnknownObject"),
            ("/org/freedesktop/GeoClue2/Client/-1", nil, "Start", [], "UnknownObject"),
            ("/org/freedesktop/GeoClue2/Client/18446744073709551616", nil, "Start", [], "UnknownObject"),
            ("/org/freedesktop/GeoClue2/Client", nil, "Start", [], "UnknownObject"),
            ("/etc", nil, "Start", [], "UnknownObject"),
            (Self.client, Self.properties, "GetAll", [], "InvalidArgs"),
            (Self.client, Self.properties, "GetAll", [.text("org.example")], "UnknownInterface"),
            (Self.client, Self.properties, "Get", [.text("")], "InvalidArgs"),
            (Self.client, Self.properties, "Set", [.text(""), .text("Active"), .boolean(true)], "PropertyReadOnly"),
            (Self.client, Self.properties, "Set", [.text(""), .text("Location"), .path("/")], "PropertyReadOnly"),
            (Self.client, Self.properties, "Set", [.text(""), .text("Colour"), .text("red")], "UnknownProperty"),
            (Self.client, Self.properties, "Set", [.text(""), .text("DesktopId"), .number(1)], "InvalidArgs"),
            (Self.client, Self.properties, "Set", [.text(""), .text("DesktopId"), .text("a\u{202E}b")], "InvalidArgs"),
            (Self.client, Self.properties, "Set", [.text(""), .text("TimeThreshold"), .text("1")], "InvalidArgs"),
            (Self.location, Self.properties, "Set", [.text(""), .text("Latitude"), .real(0)], "PropertyReadOnly"),
            (Self.manager, "org.freedesktop.GeoClue2.Manager", "AddAgent", [.path("/")], "InvalidArgs"),
            (Self.manager, "org.freedesktop.GeoClue2.Manager", "DeleteClient", [.text("/")], "InvalidArgs"),
        ] as [(String, String?, String, [BusValue]?, String)])
    func errors(_ path: String, _ interface: String?, _ member: String, _ arguments: [BusValue]?, _ error: String) {
        #expect {
            _ = try Self.request(path, interface, member, arguments)
        } throws: {
            ($0 as? BusError)?.name == "org.freedesktop.DBus.Error.\(error)"
        }
    }

    @Test func pathsAreReadAsTheyAreWritten() {
        for path in [ObjectPath.manager, .client(0), .client(.max), .location(client: 3, number: 12)] {
            #expect(ObjectPath(path.text) == path)
        }
    }

    @Test("every object describes the properties that it has")
    func introspection() {
        let object = ClientObject(number: 1)
        for (path, properties) in [
            (ObjectPath.manager, Properties.manager(isInUse: true, level: AccuracyLevel.exact)),
            (.client(1), object.properties), (.location(client: 1, number: 0), Properties.location(nil)),
        ] {
            let text = Introspection.text(of: path)
            #expect(text.count(of: "<property ") == properties.count)
            for property in properties {
                #expect(text.contains(#"<property name="\#(property.name)" type="\#(property.value.signature)""#))
            }
        }
    }
}

extension String {
    fileprivate func count(of text: String) -> Int { ranges(of: text).count }
}
