import CZstd

/// Compresses with Zstandard, with a checksum.
@safe final class ZstdCompressor: Compressor {
    private let context = unsafe ZSTD_createCCtx()

    init() {
        if let context = unsafe context {
            _ = unsafe ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)
        }
    }

    deinit { _ = unsafe ZSTD_freeCCtx(context) }

    func compress(_ input: [UInt8], isLast: Bool) throws(CompressionFailure) -> [UInt8] {
        guard let context = unsafe context else {
            throw CompressionFailure(reason: "there is no memory to pack it")
        }
        var output: [UInt8] = []
        var status = 0
        // SAFETY: the input outlives the calls, which read and write within the given sizes.
        unsafe input.withUnsafeBufferPointer { input in
            var source = unsafe ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
            var isDone = false
            while !isDone {
                output += unsafe [UInt8](unsafeUninitializedCapacity: 1 << 16) { piece, count in
                    var target = unsafe ZSTD_outBuffer(
                        dst: piece.baseAddress, size: piece.count, pos: 0)
                    status = unsafe ZSTD_compressStream2(
                        context, &target, &source, isLast ? ZSTD_e_end : ZSTD_e_continue)
                    count = unsafe target.pos
                }
                let isTaken = unsafe source.pos == source.size
                isDone = ZSTD_isError(status) != 0 || (isLast ? status == 0 : isTaken)
            }
        }
        if ZSTD_isError(status) != 0 {
            throw CompressionFailure(reason: "it cannot be packed (zstd error)")
        }
        return output
    }
}
