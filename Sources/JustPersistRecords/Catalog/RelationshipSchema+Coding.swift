import JustPersist

/// Relationships in the catalog entry of their type.
extension RelationshipSchema {
    /// The field of a type's entry.
    ///
    /// Bit 6 is set: a release that keeps no relationships must not change the items.
    static let fieldNumber: UInt8 = 5 | 0x40

    private enum FieldNumber {
        static let name: UInt8 = 1
        static let destination: UInt8 = 2
        static let inverse: UInt8 = 3
        static let isToMany: UInt8 = 4
        static let isOrdered: UInt8 = 5
        static let deleteRule: UInt8 = 6
        static let minimum: UInt8 = 7
        static let maximum: UInt8 = 8
        static let formerName: UInt8 = 9
        static let linksFromSource: UInt8 = 10
        static let linksFromTarget: UInt8 = 11
        static let number: UInt8 = 12
        static let leftReferences: UInt8 = 13
    }

    /// The bytes in the catalog.
    func encoded() -> [UInt8] {
        var fields = EntryFields()
        fields.append(FieldNumber.name, name)
        fields.append(FieldNumber.destination, destination)
        if let inverse { fields.append(FieldNumber.inverse, inverse) }
        if isToMany { fields.append(FieldNumber.isToMany, []) }
        if isOrdered { fields.append(FieldNumber.isOrdered, []) }
        fields.append(FieldNumber.deleteRule, deleteRule.rawValue)
        if minimum > 0 { fields.append(FieldNumber.minimum, UInt64(minimum)) }
        if let maximum { fields.append(FieldNumber.maximum, UInt64(Swift.max(maximum, 0))) }
        for name in formerNames { fields.append(FieldNumber.formerName, name) }
        if let links {
            fields.append(
                links.isSource ? FieldNumber.linksFromSource : FieldNumber.linksFromTarget,
                links.typeKey)
        }
        if let number { fields.append(FieldNumber.number, UInt64(number)) }
        if leftReferences { fields.append(FieldNumber.leftReferences, []) }
        return fields.bytes
    }

    /// The relationship in a field of a catalog entry; `nil` if the field is damaged.
    ///
    /// - Parameter unknown: Gets the fields of a later release. They are not kept with the relationship, so the type must
    ///   not be written.
    init?(decoding bytes: Span<UInt8>, _ range: Range<Int>, _ unknown: inout UnknownFields) {
        var (name, destination, inverse): (String?, String?, String?)
        var (isToMany, isOrdered, leftReferences) = (false, false, false)
        var deleteRule: DeleteRule?
        var (minimum, maximum): (Int, Int?) = (0, nil)
        var formerNames: [String] = []
        var links: Links?
        var ownNumber: Int?
        var later = UnknownFields()
        func number(_ range: Range<Int>) -> Int? {
            range.count == 8 ? Int(exactly: bytes.word64(at: range.lowerBound)) : nil
        }
        let isSound = EntryFields.read(bytes, range, keeping: &later) { field, range in
            switch field {
            case FieldNumber.name: name = bytes.text(in: range)
            case FieldNumber.destination: destination = bytes.text(in: range)
            case FieldNumber.inverse: inverse = bytes.text(in: range)
            case FieldNumber.isToMany where range.isEmpty: isToMany = true
            case FieldNumber.isOrdered where range.isEmpty: isOrdered = true
            case FieldNumber.deleteRule:
                deleteRule = DeleteRule(rawValue: bytes.text(in: range))
                if deleteRule == nil { return false }
            case FieldNumber.minimum:
                guard let count = number(range) else { return nil }
                minimum = count
            case FieldNumber.maximum:
                guard let count = number(range) else { return nil }
                maximum = count
            case FieldNumber.formerName: formerNames.append(bytes.text(in: range))
            case FieldNumber.linksFromSource, FieldNumber.linksFromTarget:
                links = Links(
                    typeKey: bytes.text(in: range), isSource: field == FieldNumber.linksFromSource)
            case FieldNumber.number:
                guard let known = number(range) else { return nil }
                ownNumber = known
            case FieldNumber.leftReferences where range.isEmpty: leftReferences = true
            case FieldNumber.isToMany, FieldNumber.isOrdered, FieldNumber.leftReferences:
                return nil
            default: return false
            }
            return true
        }
        guard isSound, let name, let destination else { return nil }
        if !later.bytes.isEmpty || deleteRule == nil { unknown.forbidWriting() }
        self.init(
            name, to: destination, isToMany: isToMany, isOrdered: isOrdered,
            deleteRule: deleteRule ?? .noAction, inverse: inverse, minimum: minimum,
            maximum: maximum, formerNames: formerNames, links: links)
        self.number = ownNumber
        self.leftReferences = leftReferences
    }
}

extension CatalogType {
    /// Adds the relationships of a schema, or updates them, and returns whether that changed anything.
    ///
    /// - Parameter isOfClass: Whether the schema is that of a class: then those that it no longer declares are dropped.
    mutating func declare(_ declared: [RelationshipSchema], isOfClass: Bool) -> Bool {
        let known = relationships.filter { known in
            !declared.contains { $0.sharesName(with: known) }
        }
        let updated = numbered(isOfClass ? declared : known + declared)
        func encoded(_ relationships: [RelationshipSchema]) -> Set<[UInt8]> {
            Set(relationships.map { $0.encoded() })
        }
        if encoded(updated) == encoded(relationships) { return false }
        relationships = updated
        return true
    }

    /// The relationships with their numbers: each one to many has the number that it had, or the lowest that is free.
    private func numbered(_ declared: [RelationshipSchema]) -> [RelationshipSchema] {
        var numbered = declared
        let places = numbered.indices.filter { numbered[$0].isToMany }
        for place in places {
            numbered[place].number =
                relationships.first { numbered[place].sharesName(with: $0) }?.number
        }
        for place in places where numbered[place].number == nil {
            let taken = Set(numbered.map(\.number))
            numbered[place].number = numbered.indices.first { !taken.contains($0) }
        }
        return numbered
    }
}
