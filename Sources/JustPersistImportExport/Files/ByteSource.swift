import Foundation
import JustPersist

/// The bytes of a file or a pipe, decompressed, in pieces.
final class ByteSource {
    /// The file's name, for messages.
    let name: String
    private let handle: FileHandle
    /// The file offset at the beginning; `nil` if the file cannot be read twice.
    private let start: UInt64?
    private let compression: Compression?
    private var decompressor: (any Decompressor)?
    /// The bytes that were read from the file and not returned or decompressed yet.
    private var input: [UInt8] = []
    private var position = 0
    private var mayHoldMore = false
    /// Called before each piece of the file is read; if it throws, reading ends with that error.
    var willRead: (() throws -> Void)?
    /// The number of bytes that were read from the file itself.
    private(set) var fileBytes = 0

    /// The bytes from a file's current offset on.
    ///
    /// - Throws: `.invalidInput` if the file is not compressed as its name says.
    init(_ handle: FileHandle, name: String) throws(DataStoreError) {
        self.name = name
        self.handle = handle
        start = try? handle.offset()
        let named = Compression(fileName: name)
        var head: [UInt8] = []
        while head.count < 4, let more = try Self.read(handle, upTo: 4 - head.count) {
            head += more
        }
        compression = Compression(head: head)
        decompressor = compression?.makeDecompressor()
        input = head
        fileBytes = head.count
        if let named, compression != named {
            throw DataStoreError(
                .invalidInput, in: "import",
                "“\(name)” is not packed with \(named.name), as its name says. Rename it, or pack it again."
            )
        }
    }

    /// Whether ``restart(at:)`` is possible.
    var canRestart: Bool { start != nil }

    /// Whether the bytes are returned as they are in the file.
    var isPlain: Bool { compression == nil }

    /// The next bytes, at most `size`; `nil` at the end.
    func next(upTo size: Int) throws -> [UInt8]? {
        guard let decompressor else {
            if position < input.count {
                let piece = Array(input[position..<min(input.count, position + size)])
                position += piece.count
                return piece
            }
            return try read(upTo: size)
        }
        while true {
            if position == input.count, !mayHoldMore {
                guard let more = try read(upTo: 1 << 16) else {
                    if decompressor.isComplete { return nil }
                    throw damaged("it ends in the middle")
                }
                input = more
                position = 0
            }
            do throws(CompressionFailure) {
                let piece = try decompressor.decompress(input, &position, limit: size)
                mayHoldMore = piece.count == size
                if !piece.isEmpty { return piece }
            } catch {
                throw damaged(error.reason)
            }
        }
    }

    /// Returns to an offset in the decompressed bytes.
    func restart(at offset: Int) throws {
        let place = (start ?? 0) + UInt64(compression == nil ? offset : 0)
        do {
            try handle.seek(toOffset: place)
        } catch {
            throw Self.unreadable(error)
        }
        input = []
        position = 0
        mayHoldMore = false
        fileBytes = compression == nil ? offset : 0
        guard let compression else { return }
        decompressor = compression.makeDecompressor()
        var rest = offset
        while rest > 0, let piece = try next(upTo: min(rest, 1 << 20)) { rest -= piece.count }
    }

    private func read(upTo size: Int) throws -> [UInt8]? {
        try willRead?()
        let bytes = try Self.read(handle, upTo: size)
        fileBytes += bytes?.count ?? 0
        return bytes
    }

    private static func read(
        _ handle: FileHandle, upTo size: Int
    ) throws(DataStoreError) -> [UInt8]? {
        do {
            let piece = try handle.read(upToCount: size) ?? Data()
            return piece.isEmpty ? nil : [UInt8](piece)
        } catch {
            throw unreadable(error)
        }
    }

    private func damaged(_ reason: String) -> DataStoreError {
        DataStoreError(
            .invalidInput, in: "import",
            "“\(name)” cannot be unpacked as \(compression?.name ?? "it is"): \(reason). Get it again."
        )
    }

    private static func unreadable(_ error: any Error) -> DataStoreError {
        let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
        return DataStoreError(
            .storageFailure, in: "import",
            """
            The file cannot be read to its end; check the disk that it is on. \
            \((cause ?? error as NSError).localizedDescription)
            """)
    }
}
