import CZlib

/// Compresses with gzip.
@safe final class GzipCompressor: Compressor {
    // SAFETY: zlib keeps the address of the stream, which is therefore allocated on its own.
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private let isReady: Bool

    init() {
        unsafe stream.initialize(to: z_stream())
        isReady = unsafe jp_gzip_deflate_init(stream) == Z_OK
    }

    deinit {
        if isReady { _ = unsafe deflateEnd(stream) }
        unsafe stream.deallocate()
    }

    func compress(_ input: [UInt8], isLast: Bool) throws(CompressionFailure) -> [UInt8] {
        guard isReady else { throw CompressionFailure(reason: "there is no memory to pack it") }
        var output: [UInt8] = []
        var status = Z_OK
        var isFull = false
        // SAFETY: the input outlives the calls, which do not read beyond the given count.
        unsafe input.withUnsafeBufferPointer { input in
            unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
            unsafe stream.pointee.avail_in = UInt32(input.count)
            repeat {
                output += unsafe [UInt8](unsafeUninitializedCapacity: 1 << 16) { piece, count in
                    unsafe stream.pointee.next_out = piece.baseAddress
                    unsafe stream.pointee.avail_out = UInt32(piece.count)
                    status = unsafe deflate(stream, isLast ? Z_FINISH : Z_NO_FLUSH)
                    count = unsafe piece.count - Int(stream.pointee.avail_out)
                }
                isFull = unsafe stream.pointee.avail_out == 0
            } while status == Z_OK && isFull
        }
        guard status == (isLast ? Z_STREAM_END : Z_OK) || status == Z_BUF_ERROR else {
            throw CompressionFailure(reason: "it cannot be packed (zlib error \(status))")
        }
        return output
    }
}
