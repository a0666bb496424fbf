import CSystemd
import Glibc
import NIOCore
import Varlink

/// Sees to it that what is read from a connection was written by the process that made it, and ends the connection
/// otherwise.
///
/// Who connects and becomes a declared program at once, before anybody has looked, could leave the connection to a child that is
/// not that program. A socket with `SO_PASSCRED` says who wrote what, and never gives the bytes of two writers at once. NIO asks
/// for room right before each read(2): that is when to look. Calls are few; deliveries do not come past here.
///
/// What remains: a process that writes its call and then becomes the declared program, before it is identified.
///
/// `@unchecked Sendable` because it is confined to the event loop of the connection.
struct WriterCheck: RecvByteBufferAllocator, @unchecked Sendable {
    private let descriptor: CInt
    private let processID: Int32
    private weak var connection: ServerConnection?
    /// Decides how much is read.
    private var allocator: any RecvByteBufferAllocator

    /// Begins to check `connection`, which the process with this id has made. Event loop only.
    static func install(on connection: ServerConnection, of processID: Int32) throws {
        let descriptor = try connection.withUnsafeDescriptor { descriptor in
            var isOn: CInt = 1
            _ = setsockopt(descriptor, SOL_SOCKET, SO_PASSCRED, &isOn, socklen_t(MemoryLayout<CInt>.size))
            return descriptor
        }
        guard let descriptor, let options = connection.channel.syncOptions else { return }
        let check = WriterCheck(
            descriptor: descriptor, processID: processID, connection: connection,
            allocator: try options.getOption(.recvAllocator))
        try options.setOption(.recvAllocator, value: check)
    }

    func nextBufferSize() -> Int? {
        check()
        return allocator.nextBufferSize()
    }

    func buffer(allocator byteBuffers: ByteBufferAllocator) -> ByteBuffer { allocator.buffer(allocator: byteBuffers) }

    mutating func record(actualReadBytes: Int) -> Bool { allocator.record(actualReadBytes: actualReadBytes) }

    private func check() {
        let writer = locationd_next_writer(descriptor)
        guard writer != 0, writer != processID else { return }
        // From here on nobody can write, and nothing that was written is read.
        shutdown(descriptor, CInt(SHUT_RDWR))
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
            while recv(descriptor, buffer.baseAddress, buffer.count, CInt(MSG_DONTWAIT)) > 0 {}
        }
        connection?.note(
            "Closing a connection that process \(processID) made: process \(writer) has written to it.")
        // The channel is about to read, and must not be closed under its hands.
        connection?.eventLoop.execute { [weak connection] in connection?.channel.close(promise: nil) }
    }
}
