/// The images that pages may ask for, by an address each that never means another.
///
/// The newest are kept: more than all views and overlays have at once.
@MainActor
final class ImageStore {
    /// How many images are kept.
    static let capacity = 2048

    private var names: [MapImage: String] = [:]
    private var images: [String: MapImage] = [:]
    private var lastUse: [String: Int] = [:]
    private var useCount = 0

    /// Where the image is to be had, relative to the page. Keeps it.
    func address(of image: MapImage) -> String {
        useCount += 1
        if let name = names[image] {
            lastUse[name] = useCount
            return "images/\(name)"
        }
        if images.count >= Self.capacity { forgetOldest() }
        let name = String(useCount, radix: 36) + "." + image.format.rawValue
        names[image] = name
        images[name] = image
        lastUse[name] = useCount
        return "images/\(name)"
    }

    subscript(name: String) -> MapImage? { images[name] }

    /// Half of them at a time, so that it is seldom done.
    private func forgetOldest() {
        for (name, _) in lastUse.sorted(by: { $0.value < $1.value }).prefix(Self.capacity / 2) {
            lastUse[name] = nil
            if let image = images.removeValue(forKey: name) { names[image] = nil }
        }
    }
}
