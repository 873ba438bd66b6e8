import Foundation
import Workload

/// One way in which a file of a store is not what it was.
struct Damage: CustomStringConvertible {
    /// What is done to the file.
    enum Kind: String, CaseIterable {
        /// A bit is turned.
        case flip
        /// Bytes are zero.
        case zero
        /// Bytes are anything.
        case garbage
        /// The end is missing.
        case cut
        /// Two pages have changed places.
        case swap
        /// A page is there twice, over another.
        case double
        /// A page is missing, and what was behind it has moved up.
        case drop
        /// The file is gone.
        case remove
        /// The file is empty.
        case empty
        /// The file has the contents of another.
        case become
    }

    let kind: Kind
    let file: String
    /// Where: bytes, for pages in units of ``page``, or the seed of what is written there.
    let numbers: [Int]
    /// The file whose contents it takes.
    let other: String

    private static let page = 4096

    var description: String {
        "\(file)/\(kind)/\(numbers.map(String.init).joined(separator: ","))/\(other)"
    }

    init(kind: Kind, file: String, numbers: [Int] = [], other: String = "-") {
        self.kind = kind
        self.file = file
        self.numbers = numbers
        self.other = other
    }

    init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 4, let kind = Kind(rawValue: parts[1]) else { return nil }
        self.init(
            kind: kind, file: parts[0],
            numbers: parts[2].split(separator: ",").compactMap { Int($0) },
            other: parts[3])
    }

    /// Any damage to any of the files, those of whole files more rarely, for there are few of them.
    static func random(
        of files: [(name: String, size: Int)], using random: inout SeededGenerator
    ) -> Damage {
        // By size, but small files too.
        let place = random.int(in: 0..<files.reduce(0) { $0 + $1.size + 2000 })
        var end = 0
        let (name, size) =
            files.first { file in
                end += file.size + 2000
                return place < end
            } ?? files[0]
        let kind =
            random.int(in: 0..<20) == 0
            ? random.pick([Kind.remove, .empty, .become])
            : random.pick([.flip, .flip, .zero, .garbage, .cut, .swap, .double, .drop])
        let pages = (size + page - 1) / page
        switch kind {
        case .flip where size > 0:
            return Damage(
                kind: kind, file: name, numbers: [random.int(in: 0..<size), random.int(in: 0..<8)])
        case .zero where size > 0, .garbage where size > 0:
            return Damage(
                kind: kind, file: name,
                numbers: [
                    random.int(in: 0..<size), random.pick([1, 8, 64, 512, 4096]),
                    random.int(in: 0..<1 << 30),
                ])
        case .cut where size > 0:
            return Damage(kind: kind, file: name, numbers: [random.int(in: 0..<size)])
        case .swap where pages > 1, .double where pages > 1:
            return Damage(
                kind: kind, file: name,
                numbers: [random.int(in: 0..<pages), random.int(in: 0..<pages)])
        case .drop where pages > 1:
            return Damage(kind: kind, file: name, numbers: [random.int(in: 0..<pages)])
        case .become: return Damage(kind: kind, file: name, other: random.pick(files).name)
        case .empty: return Damage(kind: kind, file: name)
        default: return Damage(kind: .remove, file: name)
        }
    }

    /// Does it; tells whether anything is different now.
    func apply(in directory: String) throws -> Bool {
        let url = URL(filePath: directory + "/" + file)
        guard let before = FileManager.default.contents(atPath: url.path) else { return false }
        if kind == .remove {
            try FileManager.default.removeItem(at: url)
            return true
        }
        var bytes = [UInt8](before)
        switch kind {
        case .flip where numbers.count == 2 && numbers[0] < bytes.count:
            bytes[numbers[0]] ^= 1 << UInt8(numbers[1] & 7)
        case .zero where numbers.count == 3, .garbage where numbers.count == 3:
            var random = SeededGenerator(seed: UInt64(numbers[2]))
            for place in numbers[0]..<max(numbers[0], min(bytes.count, numbers[0] + numbers[1])) {
                bytes[place] = kind == .zero ? 0 : UInt8(truncatingIfNeeded: random.next())
            }
        case .cut where numbers.count == 1: bytes = Array(bytes.prefix(numbers[0]))
        case .swap where numbers.count == 2, .double where numbers.count == 2:
            let (one, other) = (pageRange(numbers[0], bytes), pageRange(numbers[1], bytes))
            guard one.count == other.count else { return false }
            let (first, second) = (Array(bytes[one]), Array(bytes[other]))
            bytes.replaceSubrange(other, with: first)
            if kind == .swap { bytes.replaceSubrange(one, with: second) }
        case .drop where numbers.count == 1: bytes.removeSubrange(pageRange(numbers[0], bytes))
        case .empty: bytes = []
        case .become:
            guard let contents = FileManager.default.contents(atPath: directory + "/" + other)
            else {
                return false
            }
            bytes = [UInt8](contents)
        default: return false
        }
        guard Data(bytes) != before else { return false }
        try Data(bytes).write(to: url)
        return true
    }

    private func pageRange(_ number: Int, _ bytes: [UInt8]) -> Range<Int> {
        min(number * Self.page, bytes.count)..<min((number + 1) * Self.page, bytes.count)
    }
}
