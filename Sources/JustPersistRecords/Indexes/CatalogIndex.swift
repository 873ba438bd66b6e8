import JustPersist

/// An index of a type, as the store's catalog records it.
struct CatalogIndex: Sendable {
    /// A component of an index: an attribute, or a value inside the dictionaries that an attribute holds.
    struct Component: Hashable, Sendable {
        /// The attribute's id.
        var attribute: UInt16
        /// The names that follow the attribute in the key path; empty for the attribute's own value.
        var path: [String] = []
    }

    /// How many of the entries are written.
    enum State: Hashable, Sendable {
        /// All items have their entries, so that queries may use them.
        case ready
        /// The items up to this one have their entries, as does every item written since; `nil` for none.
        case building(after: ItemID?)
    }

    /// Identifies the index in keys.
    ///
    /// It changes each time the index is rebuilt.
    private(set) var number: UInt16
    /// The components, in the order in which they decide.
    private(set) var components: [Component]
    let isUnique: Bool
    /// Whether texts are ordered without regard to case.
    let ignoresCase: Bool
    /// Identifies the folding of its texts: ``CaseFolding/own`` for that of this process; 0 if they are not folded.
    private var folding: UInt64
    /// Whether it was declared without a class.
    ///
    /// It then stays even if no class declares it.
    var isByHand: Bool
    var state: State
    /// Whether records could not be read when their entries had to be written.
    ///
    /// Requests do not use such an index, so they report the damage.
    private(set) var lacksRecords = false
    let unknown: UnknownFields

    init(
        number: UInt16, components: [Component], isUnique: Bool, ignoresCase: Bool,
        folding: UInt64? = nil, isByHand: Bool = false, state: State = .building(after: nil),
        unknown: UnknownFields = UnknownFields()
    ) {
        self.number = number
        self.components = components
        self.isUnique = isUnique
        self.ignoresCase = ignoresCase
        self.folding = folding ?? (ignoresCase ? CaseFolding.own : 0)
        self.isByHand = isByHand
        self.state = state
        self.unknown = unknown
    }

    /// Whether this is the index over these components that a schema declares.
    func isOf(_ components: [Component], _ schema: IndexSchema) -> Bool {
        self.components == components && isUnique == schema.isUnique
            && ignoresCase == schema.ignoresCase
    }

    /// Whether it holds values of an attribute.
    func isOver(_ attribute: UInt16) -> Bool {
        components.contains { $0.attribute == attribute }
    }

    /// Replaces a retired attribute by the one that has its values.
    mutating func replace(_ other: UInt16, by id: UInt16) {
        for place in components.indices where components[place].attribute == other {
            components[place].attribute = id
        }
    }

    /// Whether its texts are folded as in this process.
    var hasOwnFolding: Bool { !ignoresCase || folding == CaseFolding.own }

    /// Whether requests can use it: all items have entries, and texts are folded as in this process.
    var isUsable: Bool { state == .ready && hasOwnFolding && !lacksRecords }

    /// Notes that this process has written all entries.
    mutating func noteWritten() {
        state = .ready
        lacksRecords = false
        if ignoresCase { folding = CaseFolding.own }
    }

    /// Notes that a record could not be read when its entries had to be written.
    mutating func noteUnreadableRecord() { lacksRecords = true }

    /// Starts a rebuild of the index, under another number.
    mutating func rebuild(as number: UInt16) {
        self.number = number
        if ignoresCase { folding = CaseFolding.own }
        lacksRecords = false
        state = .building(after: nil)
    }
}

/// The encoding of an index in its type's catalog entry.
extension CatalogIndex {
    private enum FieldNumber {
        static let attributes: UInt8 = 1
        static let isUnique: UInt8 = 2
        static let number: UInt8 = 3
        static let path: UInt8 = 4
        static let building: UInt8 = 5
        static let isByHand: UInt8 = 6
        static let ignoresCase: UInt8 = 7
        static let folding: UInt8 = 8
        static let lacksRecords: UInt8 = 9
    }

    func encoded() -> [UInt8] {
        var fields = EntryFields()
        var ids: [UInt8] = []
        for component in components { ids.append(littleEndian: component.attribute) }
        fields.append(FieldNumber.attributes, ids)
        if isUnique { fields.append(FieldNumber.isUnique, []) }
        fields.append(FieldNumber.number, number)
        for (place, component) in components.enumerated() where !component.path.isEmpty {
            fields.append(
                FieldNumber.path,
                [UInt8(truncatingIfNeeded: place)] + component.path.joined(separator: ".").utf8)
        }
        if case .building(let after) = state {
            var bytes: [UInt8] = []
            if let after { bytes.append(after) }
            fields.append(FieldNumber.building, bytes)
        }
        if isByHand { fields.append(FieldNumber.isByHand, []) }
        if ignoresCase {
            fields.append(FieldNumber.ignoresCase, [])
            fields.append(FieldNumber.folding, folding)
        }
        if lacksRecords { fields.append(FieldNumber.lacksRecords, []) }
        fields.append(unknown)
        return fields.bytes
    }

    init?(decoding bytes: Span<UInt8>, _ range: Range<Int>) {
        var components: [Component] = []
        var paths: [(place: Int, path: [String])] = []
        var isUnique = false
        var number: UInt16?
        var isByHand = false
        var ignoresCase = false
        var folding: UInt64?
        var lacksRecords = false
        var state = State.ready
        var unknown = UnknownFields()
        let isSound = EntryFields.read(bytes, range, keeping: &unknown) { field, range in
            let start = range.lowerBound
            switch field {
            case FieldNumber.attributes where range.count % 2 == 0:
                components = stride(from: start, to: range.upperBound, by: 2)
                    .map { Component(attribute: bytes.word16(at: $0)) }
            case FieldNumber.isUnique where range.isEmpty: isUnique = true
            case FieldNumber.number where range.count == 2: number = bytes.word16(at: start)
            case FieldNumber.path where range.count > 1:
                let path = bytes.text(in: (start + 1)..<range.upperBound)
                paths.append((Int(bytes[start]), path.split(separator: ".").map(String.init)))
            case FieldNumber.building where range.isEmpty: state = .building(after: nil)
            case FieldNumber.building where range.count == 16:
                state = .building(after: ValueDecoding.id(in: bytes, at: start))
            case FieldNumber.isByHand where range.isEmpty: isByHand = true
            case FieldNumber.ignoresCase where range.isEmpty: ignoresCase = true
            case FieldNumber.folding where range.count == 8: folding = bytes.word64(at: start)
            case FieldNumber.lacksRecords where range.isEmpty: lacksRecords = true
            case FieldNumber.attributes...FieldNumber.lacksRecords: return nil
            default: return false
            }
            return true
        }
        guard isSound, let number, 1...IndexKey.mostComponents ~= components.count,
            paths.allSatisfy({ components.indices.contains($0.place) }),
            ignoresCase == (folding != nil)
        else { return nil }
        for (place, path) in paths { components[place].path = path }
        self.init(
            number: number, components: components, isUnique: isUnique, ignoresCase: ignoresCase,
            folding: folding, isByHand: isByHand, state: state, unknown: unknown)
        self.lacksRecords = lacksRecords
    }
}
