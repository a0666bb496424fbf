import Glibc
import TestSupport
import Testing

@testable import LocationConfiguration

/// Changes of the service's files by commands.
@Suite(.timeLimit(.minutes(10))) struct SettingChangeTests {
    private let directory: TemporaryDirectory
    private let file: String

    init() throws {
        directory = try TemporaryDirectory()
        file = try directory.write("locationd.plist", xml("<dict>\n<key>GPSD</key><dict/>\n</dict>"))
    }

    private func mode(_ file: String) -> mode_t {
        var status = stat()
        return lstat(file, &status) == 0 ? status.st_mode : 0
    }

    @Test("a new key gets a drop-in of its own, and the service's file stays as it is")
    func newKeyGetsDropIn() throws {
        let before = try directory.read("locationd.plist")
        let change = try #require(try SettingChange.setting("HistoryDays", to: .integer(3), in: file))
        #expect(change.file == "\(file).d/HistoryDays.plist")
        #expect(change.old == nil)
        try change.perform()
        #expect(try Configuration.load(file: file).daemon.historyDays == 3)
        #expect(try directory.read("locationd.plist") == before)
        #expect(mode(change.file) & 0o777 == 0o644)
        #expect(try SettingChange.holder(of: "HistoryDays", in: file)?.file == change.file)
        #expect(try SettingChange.setting("HistoryDays", to: .integer(3), in: file) == nil)
    }

    @Test("a private value is readable by its owner and the service only")
    func privateValueIsNotReadableByOthers() throws {
        try #require(try SettingChange.setting("HistoryDays", to: .integer(3), in: file, isPrivate: true)).perform()
        #expect(mode("\(file).d/HistoryDays.plist") & 0o007 == 0)
    }

    @Test("a key is changed in the file where it is in force, whose mode stays")
    func keyIsChangedWhereItIsInForce() throws {
        try directory.write("locationd.plist", xml("<dict><key>HistoryDays</key><integer>1</integer></dict>"))
        let inFile = try #require(try SettingChange.setting("HistoryDays", to: .integer(3), in: file))
        #expect(inFile.file == file)
        _ = try directory.makeDirectory("locationd.plist.d")
        let dropIn = try directory.write(
            "locationd.plist.d/mine.plist",
            xml("<dict>\n<!-- mine -->\n<key>HistoryDays</key><integer>2</integer></dict>"),
            mode: 0o640)
        try #require(try SettingChange.setting("HistoryDays", to: .integer(4), in: file)).perform()
        #expect(try Configuration.load(file: file).daemon.historyDays == 4)
        #expect(try directory.read("locationd.plist.d/mine.plist").contains("<!-- mine -->"))
        #expect(mode(dropIn) & 0o777 == 0o640)
    }

    @Test("removing a key removes it from all files, and a drop-in that held nothing else")
    func removingRemovesFromAllFiles() throws {
        try #require(try SettingChange.setting("HistoryDays", to: .integer(3), in: file)).perform()
        try directory.write(
            "locationd.plist",
            xml("<dict>\n<key>HistoryDays</key><integer>1</integer>\n<key>GPSD</key><dict/>\n</dict>"))
        let changes = try SettingChange.removing("HistoryDays", in: file)
        #expect(changes.map(\.new).count(where: { $0 == nil }) == 1)
        for change in changes { try change.perform() }
        #expect(try directory.read("locationd.plist") == xml("<dict>\n<key>GPSD</key><dict/>\n</dict>"))
        #expect(mode("\(file).d/HistoryDays.plist") == 0)
        // The package has brought the directory.
        #expect(mode("\(file).d") & S_IFMT == S_IFDIR)
        #expect(try SettingChange.removing("HistoryDays", in: file).isEmpty)
    }

    @Test("a link stays, and the file that it names is changed")
    func linkStays() throws {
        let target = try directory.write("real.plist", xml("<dict><key>HistoryDays</key><integer>1</integer></dict>"))
        let link = "\(directory.path)/link.plist"
        #expect(symlink(target, link) == 0)
        try #require(try SettingChange.setting("HistoryDays", to: .integer(3), in: link)).perform()
        #expect(mode(link) & S_IFMT == S_IFLNK)
        #expect(try directory.read("real.plist").contains("<integer>3</integer>"))
    }

    @Test("an invalid value, and one in a file with an error, are refused and nothing is written")
    func invalidValuesAreRefused() throws {
        #expect(throws: InvalidConfiguration.self) {
            try SettingChange.setting("HistoryDays", to: .integer(-1), in: file)
        }
        #expect(throws: InvalidConfiguration.self) {
            try SettingChange.setting("HistorDays", to: .integer(1), in: file)
        }
        try directory.write("locationd.plist", "<plist><dict>")
        #expect(throws: InvalidConfiguration.self) {
            try SettingChange.setting("HistoryDays", to: .integer(3), in: file)
        }
        #expect(mode("\(file).d") == 0)
    }

    @Test("a file that has changed since it was read is not overwritten")
    func changedFileIsNotOverwritten() throws {
        try directory.write("locationd.plist", xml("<dict><key>HistoryDays</key><integer>1</integer></dict>"))
        let change = try #require(try SettingChange.setting("HistoryDays", to: .integer(3), in: file))
        let other = xml("<dict><key>HistoryDays</key><integer>2</integer></dict>")
        try directory.write("locationd.plist", other)
        #expect(throws: SettingChange.Failure.self) { try change.perform() }
        #expect(try directory.read("locationd.plist") == other)
        let new = try #require(try SettingChange.setting("PromptTimeout", to: .integer(30), in: file))
        try new.perform()
        #expect(throws: SettingChange.Failure.self) { try new.perform() }
    }
}
