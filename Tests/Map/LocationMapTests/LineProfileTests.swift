import LocationModel
import PageServing
import TestSupport
import Testing

@testable import LocationMap

/// Lines that can be clicked.
@Suite("LineProfile", .timeLimit(.minutes(10)))
@MainActor
struct LineProfileTests {
    private func sample(_ distance: Double, altitude: Double? = nil) -> LineProfile.Sample {
        LineProfile.Sample(distance: distance, coordinate: .at(47, 9), altitude: altitude)
    }

    @Test("of many samples the ends, the valleys and the peaks are kept")
    func thinning() {
        let many = (0..<100_000).map { sample(Double($0), altitude: $0 == 40_001 ? 900 : $0 == 70_003 ? 100 : 500) }
        let kept = LineProfile(samples: many).samples
        #expect((300...LineProfile.maximumCount).contains(kept.count))
        #expect(kept.first == many.first && kept.last == many.last)
        #expect(kept.contains { $0.altitude == 900 } && kept.contains { $0.altitude == 100 })
        #expect(zip(kept, kept.dropFirst()).allSatisfy { $0.distance < $1.distance })
        let at = LineProfile(samples: (0..<1000).map { _ in sample(0) }).samples
        #expect(at.count == 3, "at rest")
        #expect(LineProfile(samples: []).length == 0)
    }

    @Test("distances that go back or are not numbers are left out")
    func unusable() {
        let samples = [sample(0), sample(5), sample(4), sample(.nan), sample(.infinity), sample(-1), sample(6)]
        #expect(LineProfile(samples: samples).samples.map(\.distance) == [0, 5, 6])
    }

    @Test("a page removes a line that the program lets users remove, and no other one")
    func removed() throws {
        final class Listener: MapViewDelegate {
            var removed: [String?] = []
            func mapView(_ mapView: MapView, userDidRemove overlay: any Overlay) { removed.append(overlay.title) }
        }
        let (map, listener) = (MapView(), Listener())
        map.delegate = listener
        let lines = ["kept", "removable", "without a profile"].map { title in
            let line = Polyline(coordinates: [.at(47, 9), .at(48, 9)])
            line.title = title
            if title != "without a profile" { line.profile = LineProfile(samples: [sample(0), sample(999.6)]) }
            line.isRemovableByUser = title != "kept"
            return line
        }
        map.addOverlays(lines)
        let page = try FakePage(map)
        let overlays = try #require(try page.state()["overlays"]?.array)
        #expect(overlays.map { $0["length"]?.number } == [1000, 1000, nil])
        #expect(overlays.map { $0["isRemovable"] != nil } == [false, true, true])
        let messages = ["o1", "o2", "o2", "o3", "o4"].map { #"{"type":"removeLine","id":"\#($0)"}"# }
        let post = #"{"page":"\#(page.page.id)","messages":[\#(messages.joined(separator: ","))]}"#
        map.receive(try PagePost.decode(Array(post.utf8)).messages, from: page.page.id)
        #expect(listener.removed == ["removable", "without a profile"])
        #expect(map.overlays.map(\.title) == ["kept"])
        #expect(try page.last("overlays")?["removed"]?.array.map(\.string) == ["o2", "o3"])
    }

    @Test("the page asks for the profile of a line that has one")
    func asked() async throws {
        try await ServedMap.run { served in
            let plain = Polyline(coordinates: [.at(47, 9), .at(48, 9)])
            let line = MultiPolyline([plain])
            var profile = LineProfile(samples: [sample(0, altitude: 480.04), sample(1000)])
            profile.climb = 12
            line.profile = profile
            served.map.addOverlays([plain, line])
            let page = try FakePage(served.map)
            #expect(try page.state()["overlays"]?.array.map { $0["profile"]?.string } == [nil, "profiles/o2"])
            let cookie = try await served.enter()
            let answer = try await served.request("GET", served.root + "profiles/o2", cookie: cookie)
            #expect(answer.status == 200)
            #expect(answer.body.contains(#""samples":[[0,9,47,480,null,null],[1000,9,47,null,null,null]]"#))
            #expect(answer.body.contains(#""climb":12"#) && !answer.body.contains("duration"))
            for name in ["o1", "o3", "..", "o2.json"] {
                #expect(try await served.request("GET", served.root + "profiles/\(name)", cookie: cookie).status == 404)
            }
        }
    }
}
