import CZlib

/// Decompresses gzip, with any number of successive members.
@safe final class GzipDecompressor: Decompressor {
    // SAFETY: zlib keeps the address of the stream, which is therefore allocated on its own.
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private let isReady: Bool
    private(set) var isComplete = false

    init() {
        unsafe stream.initialize(to: z_stream())
        isReady = unsafe jp_gzip_inflate_init(stream) == Z_OK
    }

    deinit {
        if isReady { _ = unsafe inflateEnd(stream) }
        unsafe stream.deallocate()
    }

    func decompress(
        _ input: [UInt8], _ position: inout Int, limit: Int
    ) throws(CompressionFailure) -> [UInt8] {
        guard isReady else { throw CompressionFailure(reason: "there is no memory to unpack it") }
        var place = position
        var failure: CompressionFailure?
        let output = unsafe [UInt8](unsafeUninitializedCapacity: limit) { output, count in
            // SAFETY: both buffers outlive the calls, which do not read or write beyond the given counts.
            unsafe input.withUnsafeBufferPointer { input in
                unsafe stream.pointee.next_out = output.baseAddress
                unsafe stream.pointee.avail_out = UInt32(limit)
                while failure == nil, unsafe stream.pointee.avail_out > 0 {
                    let rest = input.count - place
                    if isComplete {
                        if rest == 0 { break }
                        unsafe inflateReset(stream)
                        isComplete = false
                    }
                    unsafe stream.pointee.next_in = UnsafeMutablePointer(
                        mutating: input.baseAddress.map { unsafe $0 + place })
                    unsafe stream.pointee.avail_in = UInt32(rest)
                    let status = unsafe inflate(stream, Z_NO_FLUSH)
                    place = unsafe input.count - Int(stream.pointee.avail_in)
                    switch status {
                    case Z_OK:
                        if place == input.count, unsafe stream.pointee.avail_out > 0 { return }
                    case Z_STREAM_END: isComplete = true
                    // No input, and no output.
                    case Z_BUF_ERROR: return
                    default:
                        let text = unsafe stream.pointee.msg.map { unsafe String(cString: $0) }
                        failure = CompressionFailure(
                            reason: "it is damaged (\(text ?? "zlib error \(status)"))")
                    }
                }
            }
            count = unsafe limit - Int(stream.pointee.avail_out)
        }
        position = place
        if let failure { throw failure }
        return output
    }
}
