import Foundation

/// The pages of an LMDB file that may be damaged in any way, read one at a time.
final class PageFile {
    let path: String
    let pageSize: UInt64
    /// The number of pages that begin in the file.
    let count: UInt64
    /// The length of the file in bytes.
    let length: UInt64
    private let file: FileHandle

    init(_ url: URL) throws {
        let file = try FileHandle(forReadingFrom: url)
        let length = try file.seekToEnd()
        self.file = file
        self.length = length
        path = url.path
        pageSize = Self.pageSize(of: file, length)
        count = (length + pageSize - 1) / pageSize
    }

    deinit { try? file.close() }

    /// The contents of the two meta pages, if they agree.
    var metaPages: [MetaPage]? {
        guard case .metaPages(let pages)? = try? MetaPage.read(from: file) else { return nil }
        return pages
    }

    /// The bytes of a page, with zeros in place of missing ones; `nil` if none can be read.
    func page(at place: UInt64) -> PageBytes? {
        guard place < count, let found = bytes(at: place * pageSize, count: Int(pageSize)) else {
            return nil
        }
        return PageBytes(found + [UInt8](repeating: 0, count: Int(pageSize) - found.count))
    }

    /// Bytes of the file, fewer at its end; `nil` if the disk cannot read them.
    func bytes(at offset: UInt64, count: Int) -> [UInt8]? {
        guard offset < length else { return nil }
        do {
            try file.seek(toOffset: offset)
            let found = try file.read(upToCount: Int(min(UInt64(count), length - offset)))
            return found.map { [UInt8]($0) }
        } catch {
            return nil
        }
    }

    // MARK: Pages in other places

    /// The places of the pages that are not in their own place, by page number.
    lazy var misplaced: [UInt64: [UInt64]] = {
        var places: [UInt64: [UInt64]] = [:]
        for place in 0..<count {
            guard let number = number(ofPageAt: place), number != place, number < count else {
                continue
            }
            places[number, default: []].append(place)
        }
        return places
    }()

    /// The number stored in a page; `nil` if it is not a page, as the later pages of a large value.
    func number(ofPageAt place: UInt64) -> UInt64? {
        // A damaged page may refer to any number.
        guard place < count, let found = bytes(at: place * pageSize, count: 16) else { return nil }
        let header = PageBytes(found)
        guard let number = header.uint64(at: 0), let flags = header.uint16(at: 10),
            [
                PageBytes.branchFlag, PageBytes.leafFlag, PageBytes.overflowFlag,
                PageBytes.metaFlag,
            ].contains(flags)
        else { return nil }
        return number
    }

    /// The possible places of a page, its own place first.
    func places(ofPage number: UInt64) -> [UInt64] {
        if self.number(ofPageAt: number) == number { return [number] }
        return misplaced[number] ?? []
    }

    // MARK: The size of a page

    /// The size stated in a meta page, or the one for which most pages are in their own place.
    private static func pageSize(of file: FileHandle, _ length: UInt64) -> UInt64 {
        func read(at offset: UInt64) -> PageBytes? { try? PageBytes(file, at: offset, count: 152) }
        let sizes: [UInt64] = [4096, 16384, 8192, 32768, 65536, 2048, 1024, 512]
        for offset in [0] + sizes {
            if let bytes = read(at: offset), let meta = MetaPage.any(bytes) {
                return meta.pageSize
            }
        }
        func score(_ size: UInt64) -> Int {
            (0..<min(1024, length / size)).count {
                $0 > 0 && read(at: $0 * size)?.uint64(at: 0) == $0
            }
        }
        let scores = sizes.map { (size: $0, score: score($0)) }
        return scores.reduce(scores[0]) { $1.score > $0.score ? $1 : $0 }.size
    }
}
