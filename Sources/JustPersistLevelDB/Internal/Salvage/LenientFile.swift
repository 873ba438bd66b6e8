import Foundation
import JustPersistRecords

/// The bytes of a file in order, with zeros in place of those that the disk cannot read.
struct LenientFile {
    let length: UInt64
    private let handle: FileHandle
    private let path: String
    private let entries: SalvagedEntries
    private var offset: UInt64 = 0

    /// `nil` if the file cannot be opened.
    init?(_ url: URL, _ entries: SalvagedEntries) {
        // Closed with the last reference to it.
        guard let handle = try? PlainFile.handle(url, O_RDONLY),
            let length = try? handle.seekToEnd()
        else { return nil }
        self.handle = handle
        self.length = length
        self.entries = entries
        path = url.path
    }

    /// The next `count` bytes, or fewer at the end of the file; `nil` at its end.
    mutating func next(upTo count: Int) -> [UInt8]? {
        guard offset < length else { return nil }
        let wanted = Int(min(UInt64(count), length - offset))
        var part: [UInt8] = []
        do {
            try handle.seek(toOffset: offset)
            part = try handle.read(upToCount: wanted).map { [UInt8]($0) } ?? []
        } catch {
            entries.note("bytes from \(offset) on cannot be read", at: path)
        }
        offset += UInt64(wanted)
        return part + [UInt8](repeating: 0, count: wanted - part.count)
    }
}
