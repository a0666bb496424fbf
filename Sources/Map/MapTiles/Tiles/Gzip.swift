import CZlib

/// Compression in the format of RFC 1952, by zlib.
enum Gzip {
    /// An error of decompression.
    enum Failure: Error, Hashable { case damaged, tooLong }

    /// True if `bytes` begin with the signature of gzip.
    static func isCompressed(_ bytes: some Collection<UInt8>) -> Bool { bytes.starts(with: [0x1f, 0x8b]) }

    /// Returns the decompressed `bytes`, which must be complete.
    ///
    /// - Parameter limit: The greatest size of the result: a few compressed bytes can stand for any number.
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

    /// True unless `bytes` decompress to more than `limit` bytes. Damaged bytes count up to the damage.
    static func isShort(_ bytes: some Collection<UInt8>, limit: Int) -> Bool {
        var count = 0
        _ = inflate(bytes) { part in
            count += part.count
            return count <= limit
        }
        return count <= limit
    }

    /// Decompresses in pieces while `receive` returns true, and returns zlib's last result.
    private static func inflate(
        _ bytes: some Collection<UInt8>, receive: (UnsafeMutableBufferPointer<UInt8>.SubSequence) -> Bool
    ) -> Int32 {
        let input = Array(bytes)
        var stream = z_stream()
        // A window of 15 bits, plus 16 for gzip's header, as zlib.h specifies.
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
                    // Without progress despite free room, the end is missing.
                    if stream.avail_in == 0, stream.avail_out > 0 { return Z_BUF_ERROR }
                }
            }
        }
    }

    /// Returns the compressed `bytes`, with a preference for speed over size.
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
                // With room for the worst case one call is enough.
                deflate(&stream, Z_FINISH)
                count = output.count - Int(stream.avail_out)
            }
        }
    }
}
