/// How the bytes of a file are packed.
enum Compression: Sendable {
    case gzip, zstd

    /// The compression that a file's name ends with.
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

    /// The compression that a file begins with.
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

/// What a library has to say against the bytes it was given.
struct CompressionFailure: Error {
    let reason: String
}

/// Unpacks a stream, a piece at a time.
protocol Decompressor: AnyObject {
    /// Whether the stream may end here: no part of it is open.
    var isComplete: Bool { get }

    /// Takes bytes from `position` on, moves that behind what was taken, and gives at most `limit` bytes.
    ///
    /// It gives fewer only when it has taken all.
    func decompress(
        _ input: [UInt8], _ position: inout Int, limit: Int
    ) throws(CompressionFailure) -> [UInt8]
}

/// Packs a stream, a piece at a time.
protocol Compressor: AnyObject {
    /// Takes all of the bytes, and gives what is ready; all that is left with `isLast`.
    func compress(_ input: [UInt8], isLast: Bool) throws(CompressionFailure) -> [UInt8]
}
