import MapModel
import Testing

@Suite struct MapRectTests {
    @Test func worldDoesNotSpan() { #expect(!MapRect.world.spans180thMeridian) }
}
