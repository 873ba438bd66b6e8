/// The compression of a file.
enum Compression: Sendable {
    case gzip, zstd

    /// The compression that a file's name states.
    init?(fileName: String) {
        let name = fileName.lowercased()
        if name.hasSuffix(".gz") {
            self = .gzip
        } else if name.hasSuffix(".zst") {
            self = .zstd
        } else {
            return nil
        }
    }

    /// The compression of a file with these first bytes.
    init?(head: [UInt8]) {
        if head.starts(with: [0x1f, 0x8b]) {
            self = .gzip
        } else if head.starts(with: [0x28, 0xb5, 0x2f, 0xfd]) {
            self = .zstd
        } else {
            return nil
        }
    }

    var name: String {
        switch self {
        case .gzip: "gzip"
        case .zstd: "zstd"
        }
    }

    func makeDecompressor() -> any Decompressor {
        switch self {
        case .gzip: GzipDecompressor()
        case .zstd: ZstdDecompressor()
        }
    }

    func makeCompressor() -> any Compressor {
        switch self {
        case .gzip: GzipCompressor()
        case .zstd: ZstdCompressor()
        }
    }
}

/// The error of a compression library.
struct CompressionFailure: Error {
    let reason: String
}

/// Decompresses a stream, a piece at a time.
protocol Decompressor: AnyObject {
    /// Whether the stream may end here.
    var isComplete: Bool { get }

    /// Reads bytes from `position` on, advances it, and returns at most `limit` bytes.
    ///
    /// It returns fewer only if it has read all bytes.
    func decompress(
        _ input: [UInt8], _ position: inout Int, limit: Int
    ) throws(CompressionFailure) -> [UInt8]
}

/// Compresses a stream, a piece at a time.
protocol Compressor: AnyObject {
    /// Reads all of the bytes, and returns the available output; with `isLast`, all remaining output.
    func compress(_ input: [UInt8], isLast: Bool) throws(CompressionFailure) -> [UInt8]
}
