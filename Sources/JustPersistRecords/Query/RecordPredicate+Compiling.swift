import Foundation
import JustPersist

/// The predicate of a query.
///
/// It is compiled when the first record is compared, because index entries alone may answer the query.
final class CompiledPredicate {
    private enum State {
        case pending(DataStorePredicate, BlockType)
        case compiled(RecordPredicate)
    }
    private var state: State

    init(_ compiled: RecordPredicate) { state = .compiled(compiled) }

    init(of predicate: DataStorePredicate, _ type: BlockType) { state = .pending(predicate, type) }

    func compiled() throws(DataStoreError) -> RecordPredicate {
        switch state {
        case .compiled(let compiled): return compiled
        case .pending(let predicate, let type):
            // The predicate belongs to a shape and compares with plain values only, so the time does not matter.
            let compiled = try RecordPredicate(predicate, type: type, now: Surroundings.date)
            state = .compiled(compiled)
            return compiled
        }
    }
}

extension RecordPredicate? {
    /// Whether a verified record matches; without a predicate every record does.
    @inline(__always)
    func holds(
        _ record: Span<UInt8>, _ id: ItemID, _ type: BlockType, _ block: Block
    ) throws(DataStoreError) -> Bool {
        try self?.matches(record, id: id, type: type, block: block) ?? true
    }
}

/// Compiles a predicate into the nodes of a ``RecordPredicate``.
extension RecordPredicate {
    /// The predicate for items of a type.
    ///
    /// It must have passed ``DataStorePredicate/validate(operators:)``, and its constants must have been evaluated.
    ///
    /// - Parameter now: The result of `now()`: the time of the request.
    init(_ predicate: DataStorePredicate, type: BlockType, now: Date) throws(DataStoreError) {
        try append(predicate, type, now)
    }

    private mutating func append(
        _ predicate: DataStorePredicate, _ type: BlockType, _ now: Date
    ) throws(DataStoreError) {
        let index = nodes.count
        switch predicate {
        case .constant(let value):
            nodes.append(Node(operation: .constant, flag: value))
        case .and(let parts):
            nodes.append(Node(operation: .and))
            for part in parts { try append(part, type, now) }
        case .or(let parts):
            nodes.append(Node(operation: .or))
            for part in parts { try append(part, type, now) }
        case .not(let part):
            nodes.append(Node(operation: .not))
            try append(part, type, now)
        case .evaluated(let evaluation):
            nodes.append(Node(operation: .evaluated, comparison: Int32(evaluations.count)))
            evaluations.append(evaluation)
        case .comparison(let comparison):
            if case .value(.array(let bounds)) = comparison.right,
                comparison.operator == .between, comparison.modifier == .direct,
                bounds.count == 2
            {
                let lower = DataStorePredicate.Comparison(
                    comparison.left, .greaterOrEqual, .value(bounds[0]),
                    options: comparison.options)
                let upper = DataStorePredicate.Comparison(
                    comparison.left, .lessOrEqual, .value(bounds[1]), options: comparison.options)
                try append(.and([.comparison(lower), .comparison(upper)]), type, now)
            } else {
                try append(comparison, type, now)
            }
        }
        nodes[index].next = Int32(nodes.count)
    }

    private mutating func append(
        _ comparison: DataStorePredicate.Comparison, _ type: BlockType, _ now: Date
    ) throws(DataStoreError) {
        let prepared = PreparedComparison(comparison, now: now)
        var attribute: QueryAttribute?
        var node = Node(operation: .general)
        if case .path(let path) = comparison.left, path.components.count == 1,
            case .value = comparison.right
        {
            attribute = type.attributeForQuery(path.components[0])
            if attribute == nil, path != .uniqueToken,
                type.relationshipToMany(path.components[0]) == nil
            {
                node = Node(
                    operation: .constant, flag: try prepared.matches(left: .null))
            }
        }
        if let attribute {
            if let id = attribute.id {
                node =
                    simpleNode(comparison, id) ?? Node(operation: .value, attribute: id)
                node.missing = try prepared.matches(left: attribute.missing)
                node.nullIsMissing = attribute.nullIsMissing
                node.null = try prepared.matches(left: .null)
            } else {
                node = Node(
                    operation: .constant, flag: try prepared.matches(left: attribute.missing))
            }
        }
        node.comparison = Int32(comparisons.count)
        comparisons.append(Comparison(prepared, of: attribute))
        nodes.append(node)
    }

    /// The node for a comparison of one attribute with a constant, if encoded bytes can decide it.
    private mutating func simpleNode(
        _ comparison: DataStorePredicate.Comparison, _ attribute: UInt16
    ) -> Node? {
        guard comparison.modifier == .direct, case .path(let path) = comparison.left,
            path != .uniqueToken, case .value(let constant) = comparison.right
        else { return nil }
        let relation: Relation
        var textOperation = Node.Operation.text
        switch comparison.operator {
        case .equal: relation = .equal
        case .notEqual: relation = .notEqual
        case .less: relation = .less
        case .lessOrEqual: relation = .lessOrEqual
        case .greater: relation = .greater
        case .greaterOrEqual: relation = .greaterOrEqual
        case .contains: (relation, textOperation) = (.equal, .containsText)
        case .beginsWith: (relation, textOperation) = (.equal, .beginsWithText)
        case .endsWith: (relation, textOperation) = (.equal, .endsWithText)
        case .in: return listNode(constant, attribute, comparison.options.folding)
        case .between, .like, .matches: return nil
        }
        var node = Node(operation: .general, relation: relation, attribute: attribute)
        if case .string(let text) = constant {
            node.isOfCharacters =
                textOperation != .text && comparison.options.contains(.wholeCharacters)
            return textNode(node, textOperation, text, comparison.options.folding)
        }
        guard textOperation == .text else { return nil }
        switch constant {
        case .null where relation == .equal || relation == .notEqual:
            node.operation = .null
            node.flag = relation == .equal
        case .bool(let value):
            node.operation = .int
            node.bits = value ? 1 : 0
        case .int(let value):
            node.operation = .int
            node.bits = UInt64(bitPattern: value)
        case .double(let value):
            node.operation = .double
            node.bits = value.bitPattern
        case .date(let value):
            node.operation = .date
            node.bits = value.timeIntervalSinceReferenceDate.bitPattern
        default: return nil
        }
        return node
    }

    /// The greatest offset into ``texts`` that a node can hold.
    private static let mostText = Int(Int32.max)

    /// The node for a list of plain texts, or of whole numbers.
    private mutating func listNode(
        _ list: DataStoreValue, _ attribute: UInt16, _ options: DataStorePredicate.Options
    ) -> Node? {
        guard case .array(let values) = list, options.isEmpty else { return nil }
        var ints: [Int64] = []
        var members: [[UInt8]] = []
        var room = Self.mostText - texts.count
        for value in values {
            switch value {
            case .int(let number): ints.append(number)
            case .string(let text):
                let bytes = Array(text.utf8)
                guard bytes.allSatisfy({ $0 < 0xCC }) else { return nil }
                room -= bytes.count
                if room < 0 { return nil }
                members.append(bytes)
            default: return nil
            }
        }
        var node = Node(operation: .inInts, attribute: attribute)
        if members.isEmpty {
            node.textStart = Int32(intMembers.count)
            intMembers += ints.sorted()
            node.textEnd = Int32(intMembers.count)
            return node
        }
        guard ints.isEmpty else { return nil }
        node.operation = .inTexts
        node.textStart = Int32(textMembers.count)
        members.sort {
            $0.count == $1.count ? $0.lexicographicallyPrecedes($1) : $0.count < $1.count
        }
        for member in members {
            textMembers.append(texts.count..<(texts.count + member.count))
            texts += member
        }
        node.textEnd = Int32(textMembers.count)
        return node
    }

    private mutating func textNode(
        _ node: Node, _ operation: Node.Operation, _ text: String,
        _ options: DataStorePredicate.Options
    ) -> Node? {
        var bytes = Array(text.utf8)
        guard bytes.count <= Self.mostText - texts.count else { return nil }
        var node = node
        node.operation = operation
        if operation == .text {
            guard options.isEmpty, bytes.span.isSurelyComposed else { return nil }
            let first =
                bytes.span.firstSteadyScalar
                ?? text.decomposedStringWithCanonicalMapping.unicodeScalars.first?.value
            node.bits = first.map(UInt64.init) ?? .max
        } else {
            // The contract's own code compares empty texts, and texts with letters that may combine or fold.
            guard !bytes.isEmpty, bytes.allSatisfy({ $0 < 0x80 }) || options.isEmpty,
                bytes.allSatisfy({ $0 < 0xCC })
            else { return nil }
            node.foldsCase = !options.isEmpty
            node.foldsMarks = options.contains(.diacriticInsensitive)
            if options.contains(.caseInsensitive) {
                bytes = bytes.map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }
            } else if !options.isEmpty {
                return nil
            }
        }
        node.textStart = Int32(texts.count)
        texts += bytes
        node.textEnd = Int32(texts.count)
        return node
    }
}
