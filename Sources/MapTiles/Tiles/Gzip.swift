import CZlib

/// The form of compression of RFC 1952, by zlib.
enum Gzip {
    /// Why bytes could not be expanded.
    enum Failure: Error, Hashable { case damaged, tooLong }

    /// Whether `bytes` begin as compressed ones do.
    static func isCompressed(_ bytes: some Collection<UInt8>) -> Bool { bytes.starts(with: [0x1f, 0x8b]) }

    /// Expands `bytes`, which must be all there.
    ///
    /// - Parameter limit: The most bytes of the result: a few compressed ones can stand for any number.
    static func expand(_ bytes: some Collection<UInt8>, limit: Int) throws(Failure) -> [UInt8] {
        var result: [UInt8] = []
        let status = inflate(bytes) { part in
            result += part
            return result.count <= limit
        }
        guard result.count <= limit else { throw .tooLong }
        guard status == Z_STREAM_END else { throw .damaged }
        return result
    }

    /// True unless `bytes` expand to more than `limit`. Damaged ones are as long as they are good.
    static func isShort(_ bytes: some Collection<UInt8>, limit: Int) -> Bool {
        var count = 0
        _ = inflate(bytes) { part in
            count += part.count
            return count <= limit
        }
        return count <= limit
    }

    /// Expands piece by piece for as long as `receive` returns true. Returns zlib's last word.
    private static func inflate(
        _ bytes: some Collection<UInt8>, receive: (UnsafeMutableBufferPointer<UInt8>.SubSequence) -> Bool
    ) -> Int32 {
        let input = Array(bytes)
        var stream = z_stream()
        // 15 bits of window and 16 for the header of gzip, as zlib.h has it.
        guard inflateInit2_(&stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            return Z_MEM_ERROR
        }
        defer { inflateEnd(&stream) }
        return input.withUnsafeBufferPointer { buffer in
            withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 65_536) { output in
                // zlib does not write to its input.
                stream.next_in = UnsafeMutablePointer(mutating: buffer.baseAddress)
                stream.avail_in = UInt32(buffer.count)
                while true {
                    stream.next_out = output.baseAddress
                    stream.avail_out = UInt32(output.count)
                    let status = CZlib.inflate(&stream, Z_NO_FLUSH)
                    let isWanted = receive(output.prefix(output.count - Int(stream.avail_out)))
                    guard status == Z_OK, isWanted else { return status }
                    // No progress with room left: the end is missing.
                    if stream.avail_in == 0, stream.avail_out > 0 { return Z_BUF_ERROR }
                }
            }
        }
    }

    /// Compresses `bytes`, quickly rather than well.
    static func compress(_ bytes: [UInt8]) -> [UInt8] {
        var stream = z_stream()
        guard
            deflateInit2_(
                &stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
                Int32(MemoryLayout<z_stream>.size)) == Z_OK
        else { return bytes }
        defer { deflateEnd(&stream) }
        let bound = Int(deflateBound(&stream, UInt(bytes.count)))
        return bytes.withUnsafeBufferPointer { buffer in
            stream.next_in = UnsafeMutablePointer(mutating: buffer.baseAddress)
            stream.avail_in = UInt32(buffer.count)
            return [UInt8](unsafeUninitializedCapacity: bound) { output, count in
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(output.count)
                // With room for the worst case it ends in one go.
                deflate(&stream, Z_FINISH)
                count = output.count - Int(stream.avail_out)
            }
        }
    }
}
