public import Foundation

/// What is written to a store, block by block: every block can be computed from the seed alone.
///
/// That is what makes the oracle independent: whoever knows the seed and which blocks are in the store knows
/// every item and every value, and asks nobody.
public struct Workload: Sendable {
    /// What the blocks depend on.
    public let seed: UInt64
    /// Tells the workloads of several writers of one store apart; the types of each are its own.
    public let writer: Int

    /// The workload of a seed.
    public init(seed: UInt64, writer: Int = 0) {
        self.seed = seed
        self.writer = writer
    }

    /// The types of the items that a workload writes.
    public enum Kind: Int, CaseIterable, Sendable, Hashable {
        case parcel, note
    }

    /// One step of a block.
    ///
    /// A step for an item that is not there does nothing.
    public enum Operation: Sendable {
        case create(Kind, key: Int)
        case update(Kind, key: Int)
        case delete(Kind, key: Int)
        case deleteAll(Kind)
        /// Sets the parcel of a note, or none.
        case place(note: Int, in: Int?)
        /// Adds a note to the list of a parcel, at a place or at the end; one that is there moves to the place.
        case list(note: Int, in: Int, at: Int?)
        case unlist(note: Int, from: Int)
    }

    /// How a note and a parcel are related.
    public enum Relation: CaseIterable, Sendable, Hashable {
        /// `parcel` of the note and `notes` of the parcel, whose deletion deletes them.
        case content
        /// `lists` of the note and `list` of the parcel, many to many; `list` is ordered.
        case listing
    }

    /// One note related to one parcel.
    public struct Link: Sendable, Hashable {
        /// How they are related.
        public let relation: Relation
        /// The key of the note.
        public let note: Int
        /// The key of the parcel.
        public let parcel: Int

        /// A link between the items of two keys.
        public init(_ relation: Relation, note: Int, parcel: Int) {
            (self.relation, self.note, self.parcel) = (relation, note, parcel)
        }
    }

    /// The values of one item.
    public struct Contents: Sendable, Equatable {
        /// The number of the item within its kind, in the order of making.
        public let key: Int
        /// A text that is no ASCII.
        public let name: String
        /// A number that is exact.
        public let weight: Double
        /// Bytes, none up to several pages of them.
        public let body: Data
    }

    /// At most so many items are made by a block.
    public static let keysPerBlock = 8

    /// The key of a kind's type in the store.
    public func typeKey(_ kind: Kind) -> String {
        let name = kind == .parcel ? "Parcel" : "Note"
        return writer == 0 ? name : "\(name)\(writer)"
    }

    /// The two halves of an item's id: ascending with its key, so that the order of ids is the order of making.
    public func idWords(_ kind: Kind, key: Int) -> (high: UInt64, low: UInt64) {
        (
            (0x0190_0000_0000 + UInt64(key)) << 16 | 0x7000 | UInt64(writer),
            0x8000_0000_0000_0000 | UInt64(kind.rawValue)
        )
    }

    /// The steps of a block.
    public func block(_ number: Int) -> [Operation] {
        var random = SeededGenerator(seed: seed, writer, number)
        let first = number * Self.keysPerBlock
        var operations = beginning(of: number, &random) + links(in: number)
        for _ in 0..<random.int(in: 0..<5) {
            let key = random.int(in: max(0, first - 160)..<first + Self.keysPerBlock)
            let kind = random.pick(Kind.allCases)
            operations.append(
                random.int(in: 0..<3) == 0 ? .delete(kind, key: key) : .update(kind, key: key))
        }
        return operations
    }

    /// The deletion of all notes in some blocks, and the new items of a block.
    private func beginning(of number: Int, _ random: inout SeededGenerator) -> [Operation] {
        var operations: [Operation] = []
        if number > 0, random.int(in: 0..<14) == 0 { operations.append(.deleteAll(.note)) }
        let first = number * Self.keysPerBlock
        for key in first..<first + random.int(in: 1..<Self.keysPerBlock + 1) {
            operations.append(.create(random.pick(Kind.allCases), key: key))
        }
        return operations
    }

    /// Links between items that the block and some blocks before it have made.
    private func links(in number: Int) -> [Operation] {
        var keys: [Kind: [Int]] = [:]
        for number in max(0, number - 6)...number {
            var random = SeededGenerator(seed: seed, writer, number)
            for case .create(let kind, let key) in beginning(of: number, &random) {
                keys[kind, default: []].append(key)
            }
        }
        guard let notes = keys[.note], let parcels = keys[.parcel] else { return [] }
        var random = SeededGenerator(seed: seed, writer, number, 1)
        return (0..<random.int(in: 2..<9)).map { _ in
            let (note, parcel) = (random.pick(notes), random.pick(parcels))
            return switch random.int(in: 0..<12) {
            case 0: .place(note: note, in: nil)
            case 1..<5: .place(note: note, in: parcel)
            case 5: .unlist(note: note, from: parcel)
            case 6..<9: .list(note: note, in: parcel, at: nil)
            default: .list(note: note, in: parcel, at: random.int(in: 0..<3))
            }
        }
    }

    /// Whether a block makes an item or would change it.
    public func changes(_ kind: Kind, key: Int, in number: Int) -> Bool {
        block(number).contains { operation in
            switch operation {
            case .create(kind, key), .update(kind, key): true
            default: false
            }
        }
    }

    /// The values that a block gives an item: those of its making, or of a change.
    public func contents(_ kind: Kind, key: Int, block: Int) -> Contents {
        var random = SeededGenerator(seed: seed, writer, kind.rawValue, key, block)
        let size =
            switch random.int(in: 0..<100) {
            case 0..<5: 0
            case 5..<45: random.int(in: 1..<64)
            case 45..<75: random.int(in: 64..<700)
            case 75..<92: random.int(in: 700..<4000)
            case 92..<98: random.int(in: 4000..<9000)
            default: random.int(in: 9000..<40000)
            }
        var body = Data(count: size)
        // A word at a time, and half of it zeroes: what compresses takes other ways than what does not.
        let filled = random.int(in: 0..<2) == 0 ? size : size / 2
        body.withUnsafeMutableBytes { bytes in
            for place in stride(from: 0, to: filled - filled % 8, by: 8) {
                bytes.storeBytes(of: random.next(), toByteOffset: place, as: UInt64.self)
            }
        }
        return Contents(
            key: key, name: "item \(key) of block \(block) é\(random.int(in: 0..<1000))",
            weight: Double(random.int(in: 0..<1_000_000)) / 64, body: body)
    }
}
