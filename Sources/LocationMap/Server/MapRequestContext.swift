import Hummingbird
import NIOCore

/// The context of a request: the port that it came to.
struct MapRequestContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let port: Int?

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        port = source.channel.localAddress?.port
    }
}
