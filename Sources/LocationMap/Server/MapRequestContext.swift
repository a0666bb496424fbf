import Hummingbird
import NIOCore

/// What is known of a request besides what it says: the port that it came to.
struct MapRequestContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let port: Int?

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        port = source.channel.localAddress?.port
    }
}
