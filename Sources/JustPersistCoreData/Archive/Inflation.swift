import CZlib

/// Decompression of raw deflate, in which stores keep their models.
enum Inflation {
    /// The decompressed bytes.
    ///
    /// - Parameter limit: The most bytes that the result may have.
    static func inflate(_ input: [UInt8], limit: Int = 64 << 20) throws(Malformed) -> [UInt8] {
        // SAFETY: zlib keeps the address of the stream, which is therefore allocated on its own.
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        defer { unsafe stream.deallocate() }
        guard unsafe jp_raw_inflate_init(stream) == Z_OK else {
            throw Malformed("there is no memory to unpack it")
        }
        defer { _ = unsafe inflateEnd(stream) }
        var (output, status): ([UInt8], Int32) = ([], Z_OK)
        // SAFETY: the input outlives the calls, which do not read beyond its count.
        unsafe input.withUnsafeBufferPointer { input in
            unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
            unsafe stream.pointee.avail_in = UInt32(clamping: input.count)
            while status == Z_OK, output.count < limit {
                let size = 1 << 16
                output += unsafe [UInt8](unsafeUninitializedCapacity: size) { piece, count in
                    unsafe stream.pointee.next_out = piece.baseAddress
                    unsafe stream.pointee.avail_out = UInt32(size)
                    status = unsafe CZlib.inflate(stream, Z_NO_FLUSH)
                    count = unsafe size - Int(stream.pointee.avail_out)
                }
            }
        }
        guard status == Z_STREAM_END else { throw Malformed("it cannot be unpacked") }
        return output
    }
}
