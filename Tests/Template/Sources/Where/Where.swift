import LocationClient

/// Prints where you are until you press Control-C. If there is no location, it prints why.
@main
struct Where {
    static func main() async {
        do {
            for try await update in LocationManager().liveUpdates() {
                if let location = update.location {
                    print(location.coordinate.latitude, location.coordinate.longitude)
                } else if let sentence = update.sentence {
                    print(sentence)
                }
            }
        } catch {
            print(LocationError.wrapping(error))
        }
    }
}
