import JustPersist

/// A predicate compiled for one type, evaluated on the bytes of records.
///
/// The nodes are a flat array in preorder, without references, so that a record that does not match costs no allocation
/// and no reference counting. Comparisons of one attribute with numbers, dates or plain texts are decided on the bytes.
/// All others, and those that the bytes alone do not decide, are evaluated by the contract's ``PreparedComparison``. It
/// gets the attribute's value if it compares one attribute with a constant, and otherwise the record.
struct RecordPredicate {
    var nodes: [Node] = []
    /// The texts that ``Node``s compare with, concatenated.
    var texts: [UInt8] = []
    /// The texts of lists, each list sorted by length and then by bytes, as ranges of ``texts``.
    var textMembers: [Range<Int>] = []
    /// The numbers of lists, each list sorted.
    var intMembers: [Int64] = []
    var comparisons: [Comparison] = []
    /// The conditions that are evaluated on items.
    var evaluations: [DataStorePredicate.ItemEvaluation] = []

    /// An object, so that evaluating it for a record costs one reference count and no copy.
    final class Comparison {
        let prepared: PreparedComparison
        /// The attribute that is compared with a constant; `nil` for any other comparison.
        let attribute: QueryAttribute?

        init(_ prepared: PreparedComparison, of attribute: QueryAttribute?) {
            self.prepared = prepared
            self.attribute = attribute
        }
    }

    /// One node in 32 bytes.
    struct Node {
        enum Operation: UInt8 {
            case constant, and, or, not
            case null, int, double, date, text, containsText, beginsWithText, endsWithText
            case inTexts, inInts
            case value, general, evaluated

            /// Whether it reads a single field of the record.
            @inline(__always)
            var isOfField: Bool {
                switch self {
                case .constant, .and, .or, .not, .general, .evaluated: false
                default: true
                }
            }
        }
        var operation: Operation
        var relation = Relation.equal
        /// The value of ``Operation/constant``; for ``Operation/null``, whether it asks for null.
        var flag = false
        /// Whether ASCII letters match in both cases; the text is in lower case then.
        var foldsCase = false
        /// Whether the marks of letters beyond ASCII are also ignored.
        var foldsMarks = false
        /// Whether a text is found in whole characters only.
        var isOfCharacters = false
        var attribute: UInt16 = 0
        /// Whether an item without a field for the attribute fulfils the comparison, by the attribute's default.
        var missing = false
        /// Whether null also stands for the default.
        var nullIsMissing = false
        /// Whether null fulfils the comparison.
        var null = false
        /// The index after this node and all its descendants.
        var next: Int32 = 0
        /// The comparison, in ``comparisons``, or the condition, in ``evaluations``.
        var comparison: Int32 = 0
        /// The text compared with, in ``texts``, or the list in ``textMembers`` or ``intMembers``.
        var textStart: Int32 = 0
        var textEnd: Int32 = 0
        /// The bits of the number or the date compared with, or the first scalar of the decomposed text.
        var bits: UInt64 = 0

        var int: Int64 { Int64(bitPattern: bits) }
        var double: Double { Double(bitPattern: bits) }
        var text: Range<Int> { Int(textStart)..<Int(textEnd) }
    }

    enum Relation: UInt8 {
        case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual

        /// Whether the relation holds for an order of -1, 0 or 1; `nil` is for values without an order.
        @inline(__always)
        func holds(_ order: Int?) -> Bool {
            guard let order else { return self == .notEqual }
            return holds(order)
        }

        /// Whether the relation holds for an order of -1, 0 or 1.
        @inline(__always)
        func holds(_ order: Int) -> Bool {
            switch self {
            case .equal: order == 0
            case .notEqual: order != 0
            case .less: order < 0
            case .lessOrEqual: order <= 0
            case .greater: order > 0
            case .greaterOrEqual: order >= 0
            }
        }
    }

    /// The value of a predicate that is the same for every item.
    var constant: Bool? {
        nodes.count == 1 && nodes[0].operation == .constant ? nodes[0].flag : nil
    }

    /// Whether a verified record matches.
    @inline(__always)
    func matches(
        _ record: Span<UInt8>, id: ItemID, type: BlockType, block: Block
    ) throws(DataStoreError) -> Bool {
        guard let table = RecordFormat.Table(record) else { return false }
        return try evaluate(0, record, table, id, type, block)
    }

    private func evaluate(
        _ index: Int, _ record: Span<UInt8>, _ table: RecordFormat.Table, _ id: ItemID,
        _ type: BlockType, _ block: Block
    ) throws(DataStoreError) -> Bool {
        let node = nodes[index]
        switch node.operation {
        case .constant: return node.flag
        case .not: return try !evaluate(index + 1, record, table, id, type, block)
        case .and, .or:
            let isOr = node.operation == .or
            var part = index + 1
            while part < node.next {
                // Most parts are comparisons, which need no call.
                let inner = nodes[part]
                let holds =
                    inner.operation.isOfField
                    ? try compare(inner, record, table, id, type)
                    : try evaluate(part, record, table, id, type, block)
                if holds == isOr { return isOr }
                part = Int(inner.next)
            }
            return !isOr
        case .general:
            return try comparisons[Int(node.comparison)].prepared.matches(
                RecordSubject(type: type, id: id, record: record.copied(), block: block))
        case .evaluated:
            let subject = RecordSubject(type: type, id: id, record: record.copied(), block: block)
            let evaluation = evaluations[Int(node.comparison)]
            return try evaluation.matches(try subject.item(as: evaluation.itemClass))
        default: return try compare(node, record, table, id, type)
        }
    }

    /// Evaluates the comparison of one attribute with a constant.
    @inline(__always)
    private func compare(
        _ node: Node, _ record: Span<UInt8>, _ table: RecordFormat.Table, _ id: ItemID,
        _ type: BlockType
    ) throws(DataStoreError) -> Bool {
        guard let field = table.field(node.attribute, in: record) else { return node.missing }
        if let length = ValueTag.fixedLength(of: field.tag), field.end - field.start != length {
            // The bytes are not a value; this throws the error.
            return try compareValue(node, field, record, id, type)
        }
        switch node.operation {
        case _ where field.tag == ValueTag.null:
            return node.nullIsMissing ? node.missing : node.null
        case .null: return !node.flag
        // A later release has added this kind; this throws the error.
        case _ where field.tag > ValueTag.lastPossible:
            return try compareValue(node, field, record, id, type)
        case .int:
            let order: Int?
            switch field.tag {
            case ValueTag.int:
                let value = Int64(bitPattern: record.word64(at: field.start))
                order = value == node.int ? 0 : value < node.int ? -1 : 1
            case ValueTag.double:
                let value = Double(bitPattern: record.word64(at: field.start))
                order = Self.exactOrder(node.int, value).map { -$0 }
            case ValueTag.yes: order = node.int == 1 ? 0 : node.int > 1 ? -1 : 1
            case ValueTag.no: order = node.int == 0 ? 0 : node.int > 0 ? -1 : 1
            case ValueTag.decimal: return try compareValue(node, field, record, id, type)
            default: order = nil
            }
            return node.relation.holds(order)
        case .double:
            let order: Int?
            switch field.tag {
            case ValueTag.double:
                order = Self.order(
                    Double(bitPattern: record.word64(at: field.start)), node.double)
            case ValueTag.int:
                let value = Int64(bitPattern: record.word64(at: field.start))
                order = Self.exactOrder(value, node.double)
            case ValueTag.yes: order = Self.order(1.0, node.double)
            case ValueTag.no: order = Self.order(0.0, node.double)
            case ValueTag.decimal: return try compareValue(node, field, record, id, type)
            default: order = nil
            }
            return node.relation.holds(order)
        case .date:
            guard field.tag == ValueTag.date,
                let order = Self.order(
                    Double(bitPattern: record.word64(at: field.start)), node.double)
            else { return node.relation == .notEqual }
            return node.relation.holds(order)
        case .text:
            switch field.tag {
            case ValueTag.plainText: break
            case ValueTag.text:
                if node.relation == .equal || node.relation == .notEqual,
                    startsOtherwise(record, field, node)
                {
                    return node.relation == .notEqual
                }
                // If bytes differ, the composed forms decide. Most texts are already composed.
                guard record.extracting(field.range).isSurelyComposed else {
                    return try compareValue(node, field, record, id, type)
                }
            default: return node.relation == .notEqual
            }
            let text = texts.span.extracting(node.text)
            if field.end - field.start != text.count {
                // Most texts that differ also differ in length, which is enough for == and !=.
                if node.relation == .equal { return false }
                if node.relation == .notEqual { return true }
            }
            return node.relation.holds(record.compare(field.range, text))
        case .containsText, .beginsWithText, .endsWithText:
            switch field.tag {
            case ValueTag.plainText: break
            case ValueTag.text where record.extracting(field.range).isSurelyComposed: break
            case ValueTag.text, ValueTag.array:
                return try compareValue(node, field, record, id, type)
            default: return false
            }
            if let isFound = hasText(node, record, field),
                !isFound || !node.isOfCharacters
                    || record.extracting(field.range).isOfOneByteCharacters
            {
                return isFound
            }
            return try compareValue(node, field, record, id, type)
        case .inTexts:
            switch field.tag {
            case ValueTag.plainText: return isMember(record, field.range, node.text)
            case ValueTag.text: return try compareValue(node, field, record, id, type)
            default: return false
            }
        case .inInts:
            switch field.tag {
            case ValueTag.int:
                return isMember(Int64(bitPattern: record.word64(at: field.start)), node.text)
            case ValueTag.double, ValueTag.decimal, ValueTag.yes, ValueTag.no:
                return try compareValue(node, field, record, id, type)
            default: return false
            }
        case .value: return try compareValue(node, field, record, id, type)
        case .constant, .and, .or, .not, .general, .evaluated: return false
        }
    }

    /// Whether the decomposed form of a text begins differently from the node's.
    ///
    /// Equal texts have the same decomposed form.
    private func startsOtherwise(
        _ record: Span<UInt8>, _ field: RecordFormat.Field, _ node: Node
    ) -> Bool {
        guard let first = record.extracting(field.range).firstSteadyScalar else { return false }
        return UInt64(first) != node.bits
    }

    /// Whether a composed text may have letters beyond ASCII that become ASCII letters when case, and optionally marks,
    /// are folded.
    private static func mayFoldToASCII(_ bytes: Span<UInt8>, foldsMarks: Bool) -> Bool {
        var all: UInt8 = 0
        for index in bytes.indices { all |= bytes[index] }
        if all < 0x80 || foldsMarks { return all >= 0x80 }
        for index in bytes.indices.dropLast() {
            switch (bytes[index], bytes[index + 1]) {
            // ß, İ, ŉ, ſ, ǰ; the letters from ẖ to ẞ and their neighbours; K; the ligatures ﬀ to ﬆ.
            case (0xC3, 0x9F), (0xC4, 0xB0), (0xC5, 0x89), (0xC5, 0xBF), (0xC7, 0xB0),
                (0xE1, 0xBA), (0xE2, 0x84), (0xEF, 0xAC):
                return true
            default: break
            }
        }
        return false
    }

    /// Whether a field's composed text contains, begins with or ends with the node's; `nil` if the contract's own
    /// folding has to decide.
    private func hasText(
        _ node: Node, _ record: Span<UInt8>, _ field: RecordFormat.Field
    ) -> Bool? {
        let text = texts.span.extracting(node.text)
        let bytes = record.extracting(field.range)
        let room = bytes.count - text.count
        if node.foldsCase, Self.mayFoldToASCII(bytes, foldsMarks: node.foldsMarks) { return nil }
        guard room >= 0 else { return false }
        switch node.operation {
        case .beginsWithText: return hasText(node, text, bytes, at: 0)
        case .endsWithText: return hasText(node, text, bytes, at: room)
        default:
            let first = text[0]
            let isLetter = node.foldsCase && first >= 0x61 && first <= 0x7A
            for start in 0...room {
                let byte = isLetter ? bytes[start] | 0x20 : bytes[start]
                if byte == first, hasText(node, text, bytes, at: start) { return true }
            }
            return false
        }
    }

    @inline(__always)
    private func hasText(
        _ node: Node, _ text: Span<UInt8>, _ bytes: Span<UInt8>, at start: Int
    ) -> Bool {
        for index in text.indices {
            var byte = bytes[start + index]
            if node.foldsCase, byte >= 0x41, byte <= 0x5A { byte |= 0x20 }
            if byte != text[index] { return false }
        }
        return true
    }

    /// Whether the bytes of a plain text are a member of a list.
    private func isMember(_ record: Span<UInt8>, _ text: Range<Int>, _ list: Range<Int>) -> Bool {
        Self.search(list) { place in
            let member = textMembers[place]
            return text.count == member.count
                ? record.compare(text, texts.span.extracting(member)) : text.count - member.count
        }
    }

    private func isMember(_ value: Int64, _ list: Range<Int>) -> Bool {
        Self.search(list) { place in
            let member = intMembers[place]
            return value == member ? 0 : value < member ? -1 : 1
        }
    }

    /// Whether a value is in a sorted list.
    ///
    /// `order` compares the value with the member at an index.
    @inline(__always)
    private static func search(_ list: Range<Int>, _ order: (Int) -> Int) -> Bool {
        var (lower, upper) = (list.lowerBound, list.upperBound)
        while lower < upper {
            let middle = (lower + upper) / 2
            let order = order(middle)
            if order == 0 { return true }
            if order > 0 { lower = middle + 1 } else { upper = middle }
        }
        return false
    }

    /// Compares the value of a field by the contract's own code.
    private func compareValue(
        _ node: Node, _ field: RecordFormat.Field, _ record: Span<UInt8>, _ id: ItemID,
        _ type: BlockType
    ) throws(DataStoreError) -> Bool {
        let comparison = comparisons[Int(node.comparison)]
        guard let value = comparison.attribute?.value(of: field, in: record, type.known) else {
            throw type.corrupted(id)
        }
        return try comparison.prepared.matches(left: value)
    }

    /// The order of two numbers; `nil` if one is NaN.
    @inline(__always)
    private static func order(_ a: Double, _ b: Double) -> Int? {
        a < b ? -1 : a > b ? 1 : a == b ? 0 : nil
    }

    /// The exact order of a whole number and a Double; `nil` for NaN.
    @inline(__always)
    private static func exactOrder(_ a: Int64, _ b: Double) -> Int? {
        if b.isNaN { return nil }
        if b >= 0x1p63 { return -1 }
        if b < -0x1p63 { return 1 }
        let whole = Int64(b)
        if a != whole { return a < whole ? -1 : 1 }
        let rest = b - Double(whole)
        return rest == 0 ? 0 : rest > 0 ? -1 : 1
    }
}

extension Span where Element == UInt8 {
    /// Whether each byte is a character of its own: ASCII without a carriage return, which is one with a line feed.
    fileprivate var isOfOneByteCharacters: Bool {
        for index in indices where self[index] >= 0x80 || self[index] == 0x0D { return false }
        return true
    }
}
