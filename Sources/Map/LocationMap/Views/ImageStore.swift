/// The images that pages may request, each at an address of its own.
///
/// The newest are kept, limited in number and size to more than all views and overlays usually have.
@MainActor
final class ImageStore {
    /// The greatest number of images.
    static let capacity = 2048
    /// The greatest size of all images, in bytes. A larger single image is kept until the next is added.
    private let maximumBytes: Int

    private var names: [MapImage: String] = [:]
    private var images: [String: MapImage] = [:]
    private var lastUse: [String: Int] = [:]
    private var useCount = 0
    private(set) var byteCount = 0

    init(maximumBytes: Int = 64 << 20) { self.maximumBytes = maximumBytes }

    /// Stores the image, and returns its address relative to the page.
    func address(of image: MapImage) -> String {
        useCount += 1
        if let name = names[image] {
            lastUse[name] = useCount
            return "images/\(name)"
        }
        if images.count >= Self.capacity || byteCount + image.bytes.count > maximumBytes { forgetOldest() }
        let name = String(useCount, radix: 36) + "." + image.format.rawValue
        names[image] = name
        images[name] = image
        byteCount += image.bytes.count
        lastUse[name] = useCount
        return "images/\(name)"
    }

    subscript(name: String) -> MapImage? { images[name] }

    /// Discards half of the images, so that this happens seldom.
    private func forgetOldest() {
        for (name, _) in lastUse.sorted(by: { $0.value < $1.value }) {
            guard images.count > Self.capacity / 2 || byteCount > maximumBytes / 2 else { return }
            lastUse[name] = nil
            guard let image = images.removeValue(forKey: name) else { continue }
            names[image] = nil
            byteCount -= image.bytes.count
        }
    }
}
