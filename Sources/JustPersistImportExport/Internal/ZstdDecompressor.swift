import CZstd

/// Decompresses Zstandard, with any number of successive frames.
@safe final class ZstdDecompressor: Decompressor {
    private let context = unsafe ZSTD_createDCtx()
    private(set) var isComplete = false

    deinit { _ = unsafe ZSTD_freeDCtx(context) }

    func decompress(
        _ input: [UInt8], _ position: inout Int, limit: Int
    ) throws(CompressionFailure) -> [UInt8] {
        guard let context = unsafe context else {
            throw CompressionFailure(reason: "there is no memory to unpack it")
        }
        var place = position
        var failure: CompressionFailure?
        let output = unsafe [UInt8](unsafeUninitializedCapacity: limit) { output, count in
            // SAFETY: both buffers outlive the calls, which read and write within the given sizes.
            unsafe input.withUnsafeBufferPointer { input in
                var source = unsafe ZSTD_inBuffer(
                    src: input.baseAddress, size: input.count, pos: place)
                var target = unsafe ZSTD_outBuffer(dst: output.baseAddress, size: limit, pos: 0)
                while unsafe target.pos < limit {
                    if isComplete, unsafe source.pos == source.size { break }
                    let before = unsafe (source.pos, target.pos)
                    let status = unsafe ZSTD_decompressStream(context, &target, &source)
                    if ZSTD_isError(status) != 0 {
                        let text = unsafe ZSTD_getErrorName(status).map {
                            unsafe String(cString: $0)
                        }
                        failure = CompressionFailure(
                            reason: "it is damaged (\(text ?? "zstd error"))")
                        break
                    }
                    isComplete = status == 0
                    if !isComplete, unsafe before == (source.pos, target.pos) { break }
                }
                place = unsafe source.pos
                count = unsafe target.pos
            }
        }
        position = place
        if let failure { throw failure }
        return output
    }
}
