import LocationConfiguration
import Testing

@testable import LocationDiagnosis

@Suite("The property list, edited")
struct PropertyListEditTests {
    private static let head = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">

        """

    /// What is between `<plist>` and its end, before and after.
    @Test(arguments: [
        (
            // As it ships.
            """
            <!-- <key>GPSD</key> -->
            <dict>
                <!-- Instead: <key>Socket</key><string>/x</string> -->
                <key>GPSD</key>
                <dict>
                    <key>Host</key><string>127.0.0.1</string>
                    <key>Port</key><integer>2947</integer>
                </dict>

                <!-- Kept. -->
                <key>HistoryDays</key><integer>30</integer>
            </dict>
            """,
            """
            <!-- <key>GPSD</key> -->
            <dict>
                <!-- Instead: <key>Socket</key><string>/x</string> -->
                <key>GPSD</key>
                <dict>
                    <key>Socket</key><string>/s</string>
                </dict>

                <!-- Kept. -->
                <key>HistoryDays</key><integer>30</integer>
            </dict>
            """
        ),
        (
            "<dict>\n\t<key>HistoryDays</key><integer>1</integer>\n</dict>",
            "<dict>\n\t<key>HistoryDays</key><integer>1</integer>\n    <key>GPSD</key>\n    <dict>\n        "
                + "<key>Socket</key><string>/s</string>\n    </dict>\n</dict>"
        ),
        (
            "<dict><key>HistoryDays</key><integer>1</integer></dict>",
            "<dict><key>HistoryDays</key><integer>1</integer>"
                + "<key>GPSD</key><dict><key>Socket</key><string>/s</string></dict></dict>"
        ),
        (
            "<dict><key>GPSD</key><dict/></dict>",
            "<dict><key>GPSD</key><dict><key>Socket</key><string>/s</string></dict></dict>"
        ),
        (
            "<dict><key>GPSD</key><dict></dict></dict>",
            "<dict><key>GPSD</key><dict><key>Socket</key><string>/s</string></dict></dict>"
        ),
        (
            "<dict>\n\t<key>GPSD</key>\n\t<dict>\n\t\t<key>Device</key><string>/d</string>\n\t</dict>\n</dict>",
            "<dict>\n\t<key>GPSD</key>\n\t<dict>\n\t\t<key>Device</key><string>/d</string>\n"
                + "\t\t<key>Socket</key><string>/s</string>\n\t</dict>\n</dict>"
        ),
        (
            // Key and value on lines of their own, another key between them, the value split into CDATA.
            """
            <dict>
              <key>GPSD</key>
              <dict>
                <key>Port</key>
                <integer>2947</integer>
                <key>Device</key><string>/dev/ttyS0</string> <!-- Kept. -->
                <key>Host</key>
                <string><![CDATA[local<host>]]></string>
              </dict>
            </dict>
            """,
            """
            <dict>
              <key>GPSD</key>
              <dict>
                <key>Socket</key><string>/s</string>
                <key>Device</key><string>/dev/ttyS0</string> <!-- Kept. -->
              </dict>
            </dict>
            """
        ),
        (
            "<dict><key>Agents</key><array><string>GPSD</string></array><key>GPSD</key><dict><key>Socket</key>"
                + "<string>/old</string></dict></dict>",
            "<dict><key>Agents</key><array><string>GPSD</string></array><key>GPSD</key><dict>"
                + "<key>Socket</key><string>/s</string></dict></dict>"
        ),
        (
            "<dict>\r\n  <key>GPSD</key><dict>\r\n  <key>Host</key><string>a</string>\r\n  <key>Port</key><integer>1"
                + "</integer>\r\n  </dict>\r\n</dict>",
            "<dict>\r\n  <key>GPSD</key><dict>\r\n  <key>Socket</key><string>/s</string>\r\n  </dict>\r\n</dict>"
        ),
    ])
    func edited(before: String, after: String) throws {
        let result = try PropertyListEdit.settingSocket("/s", in: Self.head + before + "\n</plist>\n")
        #expect(result == Self.head + after + "\n</plist>\n")
        // Once more changes nothing.
        #expect(try PropertyListEdit.settingSocket("/s", in: result) == result)
    }

    @Test("what is in the path is text, too")
    func escaping() throws {
        let result = try PropertyListEdit.settingSocket("/a&<b", in: "<plist><dict></dict></plist>")
        #expect(result.contains("<string>/a&amp;&lt;b</string>"))
    }

    @Test(arguments: [
        "<plist><dict><key>GPSD</key><dict><key>Host</key><!-- why --><string>a</string></dict></dict></plist>",
        "<plist><dict><key>GPSD</key><dict><key>Port</key><integer>1<!-- why --></integer></dict></dict></plist>",
        "<plist><dict><key>GPSD</key><string>a</string></dict></plist>",
        "<plist><dict/></plist>", "<plist></plist>", "bplist00", "", "<plist><dict><key>GPSD</key>",
        "<plist><dict><!-- ",
        "<plist><dict><key>GPSD</key></dict></plist>",
    ])
    func refused(text: String) {
        #expect(throws: PropertyListEdit.Refusal.self) { try PropertyListEdit.settingSocket("/s", in: text) }
    }
}

@Suite("Closing gpsd's port")
struct PortMendingTests {
    private static let open = PortCheck(listeners: .seen([TCPListener(address: "::1", port: 2947)]))
    private static let closed = PortCheck(listeners: .seen([]))
    private static let list =
        "<plist><dict><key>GPSD</key><dict><key>Port</key><integer>2947</integer></dict></dict></plist>"
    private static let mended =
        "<plist><dict><key>GPSD</key><dict><key>Socket</key><string>/run/gpsd-client.sock</string></dict></dict></plist>"

    private static let situation: PortMending.Situation = {
        var situation = PortMending.Situation(
            port: open, socketUnit: .seen(UnitState("gpsd.socket")), serviceUnit: .seen(UnitState("gpsd.service")),
            configurationFile: "/etc/l.plist")
        situation.configuration = list
        situation.address = .tcp(host: "127.0.0.1", port: 2947)
        return situation
    }()

    @Test func fromTheBeginning() throws {
        let mending = try #require(try PortMending(Self.situation))
        #expect(mending.socket == "/run/gpsd-client.sock")
        #expect(mending.writings.map(\.file) == [PortMending.dropInFile, "/etc/l.plist"])
        #expect(
            mending.writings[0].new.contains(
                "ListenStream=\nListenStream=/run/gpsd.sock\nListenStream=/run/gpsd-client.sock\n"))
        #expect(mending.writings[0].new.contains("SocketUser=locationd\nSocketMode=0600\n"))
        #expect(mending.writings[1].new == Self.mended)
        #expect(
            mending.commands == [
                ["daemon-reload"], ["stop", "gpsd.socket", "gpsd.service"], ["start", "gpsd.socket"],
                ["start", "gpsd.service"], ["try-restart", "locationd.service"],
            ])
        let text = mending.description.joined(separator: "\n")
        for words in [
            "write /etc/l.plist, the old one becomes /etc/l.plist.before-doctor", "run systemctl daemon-reload",
        ] {
            #expect(text.contains(words))
        }
        #expect(
            mending.undoing.prefix(2) == ["rm \(PortMending.dropInFile)", "mv /etc/l.plist.before-doctor /etc/l.plist"])
    }

    @Test("gpsd is not started if it was not running")
    func idle() throws {
        let situation = with(Self.situation) {
            $0.serviceUnit = .seen(with(UnitState("g")) { $0.activeState = "inactive" })
        }
        #expect(try PortMending(situation)?.commands.contains(["start", "gpsd.service"]) == false)
    }

    @Test("without a property list one is written")
    func withoutList() throws {
        let mending = try #require(try PortMending(with(Self.situation) { $0.configuration = nil }))
        #expect(mending.writings[1].old == nil)
        #expect(mending.writings[1].new.contains("<key>Socket</key><string>/run/gpsd-client.sock</string>"))
    }

    @Test("what is as it should be stays: the other half is done")
    func halfDone() throws {
        let dropIn = PortMending.dropIn(socket: PortMending.standardSocket)
        let configured = with(Self.situation) {
            $0.port = Self.closed
            $0.dropIn = dropIn
        }
        #expect(try PortMending(configured)?.writings.map(\.file) == ["/etc/l.plist"])
        let done = with(configured) {
            $0.configuration = Self.mended
            $0.address = .unix(path: PortMending.standardSocket)
        }
        #expect(try PortMending(done) == nil)
        // All is written, but gpsd runs as before.
        let notRestarted = with(done) { $0.port = Self.open }
        #expect(try PortMending(notRestarted)?.writings == [])
        let moved = with(done) { $0.address = .unix(path: "/run/other.sock") }
        #expect(try PortMending(moved)?.socket == "/run/other.sock")
        #expect(try PortMending(moved)?.writings.map(\.file) == [PortMending.dropInFile])
    }

    @Test("a closed port and no drop-in are nobody's business")
    func nothingToDo() throws {
        #expect(try PortMending(with(Self.situation) { $0.port = Self.closed }) == nil)
    }

    /// A situation in which nothing is done, and what is said.
    struct Refused: Sendable {
        var situation: PortMending.Situation
        var words: String
    }

    private static func refused(_ words: String, _ change: (inout PortMending.Situation) -> Void) -> Refused {
        Refused(situation: with(situation, change), words: words)
    }

    static let refusals: [Refused] = [
        refused("not the init") { $0.socketUnit = .hidden("-") },
        refused("no gpsd.socket") { $0.socketUnit = .seen(with(UnitState("g")) { $0.loadState = "not-found" }) },
        refused("unmask") { $0.socketUnit = .seen(with(UnitState("g")) { $0.loadState = "masked" }) },
        refused("no user locationd") { $0.hasServiceUser = false },
        refused("config check") { $0.address = nil },
        refused("another machine") { $0.address = .tcp(host: "gps.example.org", port: 2947) },
        refused("takes orders") { $0.address = .unix(path: "/run/gpsd.sock") },
        refused("add <key>Socket</key><string>/run/gpsd-client.sock</string>") { $0.configuration = "bplist00" },
    ]

    @Test(arguments: refusals)
    func refused(row: Refused) {
        do {
            let mending = try PortMending(row.situation)
            Issue.record("not refused: \(String(describing: mending))")
        } catch {
            #expect(error.description.contains(row.words), "\(error)")
        }
    }
}
