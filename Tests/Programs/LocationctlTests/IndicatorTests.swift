import Localization
import LocationInterface
import LocationModel
import StatusNotifier
import Testing

@testable import locationctl

@Suite("The indicator", .timeLimit(.minutes(10)))
struct IndicatorTests {
    private static let noon = Timestamp("2026-11-27T12:00:00Z")!

    private func access(
        _ client: String, _ accuracy: AccuracyAuthorization? = .full, isQuiet: Bool? = nil
    ) -> ManagerInterface.CurrentAccess {
        ManagerInterface.CurrentAccess(
            client: client, displayName: client.uppercased(), userID: 1000, from: Self.noon, accuracy: accuracy,
            frontEnds: ["Varlink"], isQuiet: isQuiet)
    }

    private func state(hasPrivacyPage: Bool = true) -> IndicatorState {
        IndicatorState(hasPrivacyPage: hasPrivacyPage, catalogue: Catalogue(.english))
    }

    @Test("it is shown while a program has the location, and names each with a way to stop it")
    func item() throws {
        var state = state()
        #expect(state.item(for: [], now: Self.noon) == nil)
        let made1 = state.item(for: [access("a"), access("b", .reduced)], now: Self.noon)
        let item = try #require(made1)
        let time = Clock.near(Self.noon, now: Self.noon)
        #expect(item.title == "Your location is in use")
        #expect(item.details == ["A: exact location, since \(time)", "B: approximate location, since \(time)"])
        #expect(
            item.menu.map(\.label) == [
                item.details[0], "Stop A from using your location", item.details[1], "Stop B from using your location",
                "",
                "Privacy…",
            ])
        #expect(item.menu.map(\.isEnabled) == [false, true, false, true, false, true])
        #expect(state.choice(item.menu[3].id) == .stop(client: "b", name: "B"))
        #expect(state.choice(item.menu[5].id) == .showPrivacyPage)
        #expect(state.choice(item.menu[0].id) == nil)
    }

    @Test("a click on an old menu stops no other program")
    func earlierMenu() throws {
        var state = state()
        let made2 = state.item(for: [access("a"), access("b")], now: Self.noon)
        let first = try #require(made2).menu
        let made3 = state.item(for: [access("c"), access("b")], now: Self.noon)
        let second = try #require(made3).menu
        #expect(state.choice(first[1].id) == nil)
        #expect(state.choice(first[3].id) == .stop(client: "b", name: "B"))
        #expect(Set(first.map(\.id)).intersection([second[1].id]).isEmpty)
        #expect(state.item(for: [], now: Self.noon) == nil)
        #expect(state.choice(first[3].id) == nil)
    }

    @Test("a quiet program shows no indicator, and is listed after the others")
    func quiet() throws {
        var state = state(hasPrivacyPage: false)
        #expect(state.item(for: [access("a", isQuiet: true)], now: Self.noon) == nil)
        let made4 = state.item(for: [access("a", isQuiet: true), access("b")], now: Self.noon)
        let item = try #require(made4)
        #expect(item.details.map { String($0.prefix(1)) } == ["B", "A"])
        #expect(item.menu.count == 4)
    }

    @Test("waybar’s module names the programs that show it, and lists the quiet ones in its tooltip")
    func waybar() {
        let module = { WaybarModule($0, in: Catalogue(.english), now: Self.noon) }
        #expect(module([]).alt == "idle" && module([]).text == "")
        let quiet = module([access("a", isQuiet: true)])
        #expect(quiet.alt == "quiet" && quiet.text == "" && quiet.tooltip.hasPrefix("A: exact location"))
        let both = module([access("<a>", isQuiet: true), access("b&", nil)])
        #expect(both.alt == "active" && both.text == "B&amp;")
        #expect(both.tooltip.hasPrefix("&lt;A&gt;: exact location"))
        #expect(both.tooltip.contains("\nB&amp;: notified of places"))
    }
}
