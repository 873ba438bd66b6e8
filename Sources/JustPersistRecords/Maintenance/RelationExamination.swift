import JustPersist

/// A reference or a link that does not agree with the items that it relates.
struct RelationFault {
    enum Kind: Int {
        /// A reference to an item that does not exist.
        case dangling
        /// A reference to a partner that does not refer back.
        case unpaired
        /// An item without a place in the order of which it is a part.
        case withoutPlace
        /// A link between items of which one does not exist.
        case withoutEnd
        /// A link between items that another link relates already.
        case doubled
        /// A link whose id does not follow from its ends.
        case misplaced
        /// A link of a symmetric relationship without one in the other direction.
        case oneSided
        /// A link without a valid place in the order.
        case unordered
    }

    let kind: Kind
    /// The item with the reference, or the link.
    let id: ItemID
    /// The index of the part of the type.
    let part: Int
}

/// Compares the items of one type that relate items with the items that they relate.
///
/// Reads each record once, and looks up the others of some thousands of items together, in the order of their keys. Items
/// that are damaged, or that only a later release can read, are passed over: they are problems of their own.
struct RelationExamination {
    private let block: Block
    private let type: RelatingType
    private let table: RecordTable
    private let meter: MaintenanceMeter
    private var subjects: [Subject] = []
    private var questions: [Question] = []
    private static let batch = 4096

    /// A record of a type, by its number.
    private struct End: Comparable {
        let type: UInt32
        let id: ItemID

        /// The order of the keys of the records.
        static func < (one: End, other: End) -> Bool { (one.type, one.id) < (other.type, other.id) }
    }

    /// A reference or a link that is being examined.
    private struct Subject {
        let id: ItemID
        let part: Int
        let ends: [End]
        /// The index of its first question.
        let first: Int
        /// Whether a place of a link is missing or damaged.
        var isUnordered = false
    }

    /// A look-up of a record.
    private struct Question {
        let end: End
        /// The records in which a reference back is read, and its attribute.
        var back: (table: RecordTable, attribute: UInt16)?
    }

    private enum Answer: Equatable {
        case missing
        /// It exists, but cannot be read.
        case unreadable
        /// It exists, with this reference back.
        case found(End?)
    }

    init(_ type: RelatingType, in block: Block, _ meter: MaintenanceMeter) {
        (self.block, self.type, self.meter) = (block, type, meter)
        table = block.table(of: type.stored)
    }

    /// Continues a pass over the items, and calls `body` with each fault; returns whether the pass has reached the end.
    ///
    /// - Parameter isEnough: Whether to stop, asked after each batch of items.
    mutating func run(
        _ pass: inout RecordPass, until isEnough: () -> Bool = { false },
        _ body: (RelationFault) -> Void
    ) throws(DataStoreError) -> Bool {
        var current = pass
        var isComplete = true
        try block.reader.scan(pass.rest(of: table.number), reversed: false) {
            (key, record) throws(DataStoreError) in
            let id = try current.advance(to: key, table.number, table.typeKey)
            note(record, id)
            guard meter.note(items: 1, bytes: record.count) else { return .stop }
            if questions.count < Self.batch { return .next }
            try judge(body)
            if !isEnough() { return .next }
            isComplete = false
            return .stop
        }
        try judge(body)
        pass = current
        return isComplete
    }

    /// Notes what a record asks of others.
    @inline(never)
    private mutating func note(_ record: Span<UInt8>, _ id: ItemID) {
        guard table.isSound(record, id), !RecordFormat.hasLaterKinds(record),
            let fields = RecordFormat.Table(record)
        else { return }
        for (index, part) in type.parts.enumerated() {
            var ends: [End] = []
            for attribute in part.references {
                if let field = fields.field(attribute, in: record),
                    let other = end(field, in: record)
                {
                    ends.append(other)
                }
            }
            var subject = Subject(id: id, part: index, ends: ends, first: questions.count)
            switch part.part {
            case .reference:
                guard let other = ends.first else { continue }
                questions.append(Question(end: other, back: part.back))
                if let order = part.order {
                    ask(order, LinkType.id(from: other.id, to: id))
                }
            case .links(let links):
                subject.isUnordered = part.places.contains {
                    let tag = fields.field($0, in: record)?.tag
                    // A number of another kind is converted when it is read.
                    return tag != ValueTag.int && tag != ValueTag.double
                }
                if ends.count == 2 {
                    for end in ends { questions.append(Question(end: end)) }
                    let (source, target) = (ends[0], ends[1])
                    if links.isSymmetric {
                        ask(table.number, LinkType.id(from: target.id, to: source.id))
                    }
                    let right = LinkType.id(from: source.id, to: target.id)
                    if right != id { ask(table.number, right) }
                }
            }
            subjects.append(subject)
        }
    }

    private mutating func ask(_ type: UInt32, _ id: ItemID) {
        questions.append(Question(end: End(type: type, id: id)))
    }

    private func end(_ field: RecordFormat.Field, in record: Span<UInt8>) -> End? {
        field.reference(in: record).map { number, id in
            // A type may have had other numbers before it was declared.
            let names = block.known.catalog.names
            return End(type: names.key(of: number).flatMap(names.number(of:)) ?? number, id: id)
        }
    }

    /// Looks up what the batch asks for, and passes on the faults.
    private mutating func judge(_ body: (RelationFault) -> Void) throws(DataStoreError) {
        let answers = try answers()
        for subject in subjects {
            let kind =
                switch type.parts[subject.part].part {
                case .reference(let relation): fault(of: subject, relation, answers)
                case .links(let ends): fault(of: subject, ends, answers)
                }
            if let kind { body(RelationFault(kind: kind, id: subject.id, part: subject.part)) }
        }
        subjects.removeAll(keepingCapacity: true)
        questions.removeAll(keepingCapacity: true)
    }

    private func fault(
        of subject: Subject, _ relation: Relation, _ answers: [Answer]
    ) -> RelationFault.Kind? {
        let part = type.parts[subject.part]
        switch answers[subject.first] {
        case .missing: return relation.mayDangle ? nil : .dangling
        case .unreadable: break
        case .found(let back):
            if part.back != nil, back != End(type: table.number, id: subject.id) {
                return .unpaired
            }
        }
        return part.order != nil && answers[subject.first + 1] == .missing ? .withoutPlace : nil
    }

    private func fault(
        of subject: Subject, _ ends: LinkEnds, _ answers: [Answer]
    ) -> RelationFault.Kind? {
        guard subject.ends.count == 2 else { return .withoutEnd }
        func isMissing(_ place: Int) -> Bool { answers[subject.first + place] == .missing }
        let lacks = (source: isMissing(0), target: isMissing(1))
        if !ends.mayLack(source: lacks.source, target: lacks.target) { return .withoutEnd }
        if subject.id != LinkType.id(from: subject.ends[0].id, to: subject.ends[1].id) {
            return isMissing(ends.isSymmetric ? 3 : 2) ? .misplaced : .doubled
        }
        if ends.isSymmetric, !lacks.source, !lacks.target, isMissing(2) { return .oneSided }
        return subject.isUnordered ? .unordered : nil
    }

    private func answers() throws(DataStoreError) -> [Answer] {
        var answers = questions.map { question in
            // A later release may keep the items of a type in another way.
            block.known.catalog[question.end.type]?.unknown.forbidsReading == true
                ? Answer.unreadable : .missing
        }
        let order = questions.indices.sorted { questions[$0].end < questions[$1].end }
        // Each record once, with the questions about it.
        var groups: [Range<Int>] = []
        var keys: [[UInt8]] = []
        for place in order.indices {
            let end = questions[order[place]].end
            if let last = groups.last, questions[order[last.lowerBound]].end == end {
                groups[groups.count - 1] = last.lowerBound..<(place + 1)
                continue
            }
            var key = RecordKey(type: end.type)
            key.set(end.id)
            keys.append(key.bytes)
            groups.append(place..<(place + 1))
        }
        try block.reader.withValues(forKeys: keys) {
            (place, record) throws(DataStoreError) in
            for index in order[groups[place]] { answers[index] = answer(questions[index], record) }
            return meter.note(bytes: record.count) ? .next : .stop
        }
        return answers
    }

    private func answer(_ question: Question, _ record: Span<UInt8>) -> Answer {
        guard let (table, attribute) = question.back else { return .found(nil) }
        guard table.isSound(record, question.end.id), !RecordFormat.hasLaterKinds(record) else {
            return .unreadable
        }
        guard let field = RecordFormat.field(attribute, in: record) else { return .found(nil) }
        return .found(end(field, in: record))
    }
}
