import MapModel
import Testing

@testable import LocationMap

@Suite("ImageStore", .timeLimit(.minutes(10)))
@MainActor
struct ImageStoreTests {
    private func image(_ number: Int, bytes: Int) -> MapImage {
        MapImage(svg: "\(number)" + String(repeating: " ", count: bytes), size: ViewSize(width: 1, height: 1))
    }

    @Test("an image keeps its address, and the newest are kept within a number of bytes")
    func bytes() {
        let maximum = 80_000
        let store = ImageStore(maximumBytes: maximum)
        let first = image(0, bytes: 1000)
        let address = store.address(of: first)
        #expect(store.address(of: first) == address)
        var last = ""
        for number in 1...40 {
            last = store.address(of: image(number, bytes: maximum / 8))
            #expect(store.byteCount <= maximum)
        }
        #expect(store[String(last.dropFirst("images/".count))] != nil)
        #expect(store[String(address.dropFirst("images/".count))] == nil, "the oldest has gone")
        #expect(store.address(of: first) != address, "an address never means another image")
    }
}
