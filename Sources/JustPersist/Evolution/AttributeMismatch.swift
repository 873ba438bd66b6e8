/// An attribute whose stored values do not fit its declaration.
public struct AttributeMismatch: Sendable, Hashable {
    /// The name of the attribute.
    public var attribute: String
    /// The declared kinds; empty if the class declares a relationship to many under the name.
    public var declared: Set<DataStoreValue.Kind>
    /// The number of items with values that can be neither used nor converted exactly, by their kind.
    public var items: [DataStoreValue.Kind: Int] = [:]
    /// Whether ``DataStoreValue/converted(to:)`` converts all of these values to a declared kind.
    public var isConvertible = true
    /// The name under which the store has the attribute, if it is a former one.
    package var storedName: String?
    /// The key under which the store has the type, if it is a former one.
    package var storedType: String?
    /// The names of the type, present and former ones, if they are known.
    package var takenNames: Set<String>?

    /// Whether the class declares a relationship to many under the name, which has no values.
    var isToMany = false

    /// A mismatch of an attribute, without values yet.
    public init(_ attribute: String, declared: Set<DataStoreValue.Kind>) {
        self.attribute = attribute
        self.declared = declared
    }

    /// A mismatch of an attribute under whose name a class declares a relationship to many.
    public init(toMany relationship: String) {
        self.init(relationship, declared: [])
        isToMany = true
    }

    /// Counts an item's value if it can be neither used nor converted exactly.
    public mutating func note(_ value: DataStoreValue) {
        if value.isNull { return }
        if !isToMany, declared.isEmpty || value.exactly(asOneOf: declared) != nil { return }
        items[value.kind, default: 0] += 1
        isConvertible = isConvertible && value.converted(to: advisedKind) != nil
    }

    private var advisedKind: DataStoreValue.Kind { declared.inOrder.first ?? .null }

    /// Whether the advice names an attribute of which it is unknown whether the type has it.
    var namesUnknownAttribute: Bool { takenNames == nil && (isToMany || !isConvertible) }

    /// A name for an attribute that keeps the values.
    private var freeName: String {
        let name = "\(attribute)Before"
        guard let takenNames, takenNames.contains(name) else { return name }
        var number = 2
        while takenNames.contains("\(name)\(number)") { number += 1 }
        return "\(name)\(number)"
    }

    /// The call that converts the values of a type's items.
    func conversion(ofType itemType: String) -> String {
        if isToMany {
            return
                """
                try db.renameAttribute("\(attribute)", to: "\(freeName)", of: "\(storedType ?? itemType)")
                """
        }
        let failure = isConvertible ? "" : ", onFailure: .keep(as: \"\(freeName)\")"
        return
            """
            try db.convert("\(storedName ?? attribute)", of: "\(storedType ?? itemType)", to: .\(advisedKind)\(failure))
            """
    }
}

extension AttributeMismatch: CustomStringConvertible {
    /// One line: “stars” is declared as int, and has values of kind string in 3 items.
    public var description: String {
        let found = items.sorted { $0.key.rawValue < $1.key.rawValue }
            .map { "of kind \($0.key) in \($0.value.counted("item"))" }
            .joined(separator: " and ")
        let declaration = isToMany ? "a relationship to many" : declared.listed
        return "“\(attribute)” is declared as \(declaration), and has values \(found)"
    }
}

extension ItemSchema {
    /// The names of the attributes and relationships, present and former ones.
    package var allNames: Set<String> {
        Set(
            attributes.flatMap { [$0.name] + $0.formerNames }
                + relationships.flatMap { [$0.name] + $0.formerNames })
    }
}

extension Set<DataStoreValue.Kind> {
    /// The kinds in a fixed order.
    package var inOrder: [DataStoreValue.Kind] { sorted { $0.rawValue < $1.rawValue } }

    /// The kinds as a text: “int or double”; “any kind” for the empty set, which allows all.
    package var listed: String {
        isEmpty ? "any kind" : inOrder.map { "\($0)" }.joined(separator: " or ")
    }
}

extension DataStoreError {
    /// The refusal of a class that stored values do not fit.
    ///
    /// - Parameters:
    ///   - mismatches: The attributes concerned, at least one.
    ///   - itemType: The key of the class's type.
    ///   - operation: The call that is refused.
    public static func schemaMismatch(
        _ mismatches: [AttributeMismatch], ofType itemType: String, in operation: String
    ) -> DataStoreError {
        let conversions = mismatches.map { $0.conversion(ofType: itemType) }
        let hint =
            mismatches.contains(where: \.namesUnknownAttribute)
            ? " The attribute that keeps values must be new." : ""
        return DataStoreError(
            .schemaMismatch, in: operation,
            """
            The stored items of “\(itemType)” do not fit its class: \
            \(mismatches.map(\.description).joined(separator: "; ")). Nothing was changed.
            """,
            advice: """
                Convert the values once, in a write block before the first use of the class: \
                \(conversions.joined(separator: "; ")).\(hint)
                """, itemType: itemType, attribute: mismatches.first?.attribute)
    }
}
