import CLinux
import Glibc
import NIOCore
import Varlink

/// Verifies that the process that made a connection also wrote the bytes read from it, and closes the connection
/// otherwise.
///
/// A process could connect, leave the connection to a child and become a declared program by exec before it is
/// identified. A socket with `SO_PASSCRED` reports the writer of the next bytes and never returns those of two writers
/// together. NIO asks for a buffer right before each read(2), and that is when to check. Only calls pass here, which
/// are few, not deliveries.
///
/// Not detected: a process that writes its call and then becomes the declared program before it is identified.
///
/// `@unchecked Sendable` because it is confined to the event loop of the connection.
struct WriterCheck: RecvByteBufferAllocator, @unchecked Sendable {
    private let descriptor: CInt
    private let processID: Int32
    private weak var connection: ServerConnection?
    /// Decides about buffer sizes.
    private var allocator: any RecvByteBufferAllocator

    /// Installs the check on `connection`, made by the process with this id. Event loop only.
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
        // From here on nobody can write, and nothing already written is read.
        shutdown(descriptor, CInt(SHUT_RDWR))
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
            while recv(descriptor, buffer.baseAddress, buffer.count, CInt(MSG_DONTWAIT)) > 0 {}
        }
        connection?.note(
            "Closing a connection that process \(processID) made: process \(writer) has written to it.")
        // Later, because the channel is about to read.
        connection?.eventLoop.execute { [weak connection] in connection?.channel.close(promise: nil) }
    }
}
