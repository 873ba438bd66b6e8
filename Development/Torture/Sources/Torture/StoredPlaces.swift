import Foundation
import Workload

/// Where the items of a workload stand in the files of a store, found by their bytes alone.
///
/// It knows nothing of how an engine keeps its files but this: LMDB has a key beside its value, or in a page of its own, and
/// LevelDB spells a key out at every sixteenth entry. An item may be there several times, in the states that it had; its last
/// one is counted wherever it stands.
struct StoredPlaces {
    /// Bytes of a file.
    struct Place {
        let file: String
        let range: Range<Int>
        /// Whether they are in one page.
        let isInPage: Bool
    }

    /// By the key of an item, everything that has to be as it was for the item to be whole; none if an item was not found.
    private(set) var places: [Int: [Place]] = [:]

    private static let page = 4096
    /// Before the name in a record: the key in the store, the engine's own bytes, the checksum, the table, a number.
    private static let beforeName = 96

    init(of workload: Workload, _ state: ModelState, in store: String, _ engine: Engine) throws {
        let files = try Directory.files(in: store).filter(Self.holdsItems)
        for file in files {
            guard let bytes = FileManager.default.contents(atPath: store + "/" + file) else {
                continue
            }
            var found: [(key: Int, range: Range<Int>)] = []
            for kind in Workload.Kind.allCases {
                for key in state.keys(kind) {
                    guard let block = state.block(kind, key: key) else { continue }
                    let contents = workload.contents(kind, key: key, block: block)
                    for place in Self.ranges(of: Data(contents.name.utf8), in: bytes) {
                        // After the name: another number, the body, and a reference; in a log in several pieces.
                        let end = place.upperBound + 8 + contents.body.count + 32
                        found.append(
                            (
                                key,
                                max(0, place.lowerBound - Self.beforeName)..<end + 7
                                    * (contents.body.count / 32768 + 2)
                            ))
                    }
                    guard engine == .lmdb else { continue }
                    for place in Self.ranges(of: Self.id(workload, kind, key), in: bytes)
                    where place.lowerBound >= 13 && bytes[place.lowerBound - 5] == 3 {
                        found.append((key, place.lowerBound - 13..<place.upperBound + 8))
                    }
                }
            }
            found.sort { $0.range.lowerBound < $1.range.lowerBound }
            for (index, item) in found.enumerated() {
                var start = item.range.lowerBound
                if engine == .leveldb, !file.contains(".log") {
                    start = index < 17 ? 0 : found[index - 17].range.lowerBound
                }
                let range = start..<min(bytes.count, item.range.upperBound)
                let isInPage = start / Self.page == max(start, range.upperBound - 1) / Self.page
                places[item.key, default: []].append(
                    Place(file: file, range: range, isInPage: isInPage))
            }
        }
    }

    /// The keys of the items that a damage leaves whole.
    func intact(after damage: Damage, _ engine: Engine) -> Set<Int> {
        Set(
            places.filter { _, places in
                places.allSatisfy { place in
                    if place.file != damage.file { return true }
                    // A page of LMDB's has its number in it, by which it is known anywhere.
                    if damage.kind == .swap, engine == .lmdb, place.isInPage { return true }
                    return damage.spares(place.range)
                }
            }.keys)
    }

    private static func holdsItems(_ file: String) -> Bool {
        file == "data.mdb" || [".ldb", ".sst", ".log", ".kept"].contains { file.hasSuffix($0) }
    }

    private static func id(_ workload: Workload, _ kind: Workload.Kind, _ key: Int) -> Data {
        let words = workload.idWords(kind, key: key)
        return Data(
            [words.high, words.low].flatMap { word in
                (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) }
            })
    }

    private static func ranges(of text: Data, in bytes: Data) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var rest = bytes.startIndex..<bytes.endIndex
        while let place = bytes.range(of: text, in: rest) {
            found.append(place)
            rest = place.upperBound..<bytes.endIndex
        }
        return found
    }
}

extension Damage {
    /// Whether bytes of the file that it damages are what they were, and where they were.
    fileprivate func spares(_ range: Range<Int>) -> Bool {
        switch kind {
        case .flip: !range.contains(numbers[0])
        case .zero, .garbage: !range.overlaps(numbers[0]..<numbers[0] + numbers[1])
        case .cut: range.upperBound <= numbers[0]
        case .swap: numbers.allSatisfy { !range.overlaps($0 * 4096..<($0 + 1) * 4096) }
        default: false
        }
    }
}
