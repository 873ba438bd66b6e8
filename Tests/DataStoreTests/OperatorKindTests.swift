import Foundation
import JustPersist
import Testing

/// Each operator with an attribute of each declared kind and a constant of each kind.
@Suite struct OperatorKindTests {
    private static let samples: [DataStoreValue] = [
        .bool(true), .int(3), .double(2.5), .decimal(4), .string("a"),
        .date(Date(timeIntervalSinceReferenceDate: 7)), .data(Data([1])), .uuid(UUID()),
        .url(URL(filePath: "/a")), .reference(ItemReference(itemTypeKey: "Kinds", id: ItemID())),
        .array([.string("a"), .int(3)]), .dictionary(["a": .int(3)]),
    ]

    private static let orders: [Set<DataStoreValue.Kind>] = [
        [.bool, .int, .double, .decimal], [.string], [.date], [.data], [.uuid], [.url],
    ]

    /// Whether some value of a kind fulfils a comparison with some value of another.
    private static func canHold(
        _ relation: DataStorePredicate.Operator, _ left: DataStoreValue.Kind,
        _ right: DataStoreValue.Kind
    ) -> Bool {
        switch relation {
        case .equal, .notEqual: true
        case .less, .lessOrEqual, .greater, .greaterOrEqual, .between:
            orders.contains { $0.contains(left) && $0.contains(right) }
        case .in: right == .array || right == .dictionary || left == .string && right == .string
        case .contains: left == .array || left == .string && right == .string
        case .beginsWith, .endsWith, .like, .matches: left == .string && right == .string
        }
    }

    private func withKinds(
        _ backend: Backend, _ body: (borrowing DataStoreReader, DataStoreRequest) throws -> Void
    ) throws {
        try backend.withStore { store in
            try store.write { db in
                try db.declare(
                    ItemSchema(
                        "Kinds",
                        attributes: Self.samples.map {
                            AttributeSchema("\($0.kind)Value", kinds: [$0.kind])
                        } + [AttributeSchema("free")]))
                let item = try db.create("Kinds")
                for value in Self.samples { item["\(value.kind)Value"] = value }
                _ = try db.create("Kinds")
            }
            try store.read { db in try body(db, DataStoreRequest(itemTypeKey: "Kinds")) }
        }
    }

    @Test(arguments: Backend.memoryAndReference) func anOperatorThatNeverAppliesMatchedNothing(
        _ backend: Backend
    ) throws {
        try withKinds(backend) { db, request in
            for relation in DataStorePredicate.Operator.allCases {
                for left in Self.samples {
                    for right in Self.samples {
                        let operand =
                            relation == .between ? DataStoreValue.array([right, right]) : right
                        let comparison = DataStorePredicate.Comparison(
                            .path(.init(["\(left.kind)Value"])), relation, .value(operand))
                        request.predicate = .comparison(comparison)
                        if Self.canHold(relation, left.kind, right.kind) {
                            // As the evaluator of the contract answers for the one value.
                            let holds = try [left, .null].filter {
                                try PreparedComparison(comparison).matches(left: $0)
                            }
                            try #expect(db.count(request) == holds.count, "\(comparison)")
                        } else {
                            let error = #expect(throws: DataStoreError.self, "\(comparison)") {
                                _ = try db.count(request)
                            }
                            let codes: [DataStoreError.Code] = [.invalidRequest, .invalidPredicate]
                            #expect(codes.contains { $0 == error?.code }, "\(comparison)")
                        }
                    }
                }
            }
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func anOperatorOnAnAttributeWithoutKindsIsNeverRefused(
        _ backend: Backend
    ) throws {
        try withKinds(backend) { db, request in
            for text in [
                "free CONTAINS 1", "free.length == 3", "length(free) == 1", "ANY free == 1",
                "free < 'a'", "free LIKE 'a'", "free.@count == 1", "free * 2 == 4",
                "stringValue == 5", "stringValue BEGINSWITH nil", "nil BEGINSWITH stringValue",
                "stringValue < nil", "stringValue CONTAINS nil", "nil CONTAINS stringValue",
                "stringValue IN nil",
            ] {
                request.predicate = try DataStorePredicate(text)
                try #expect(db.count(request) == 0, "\(text)")
            }
            request.predicate = try DataStorePredicate("%@ CONTAINS stringValue", nil as String?)
            try #expect(db.count(request) == 0)
        }
    }

    @Test(arguments: Backend.memoryAndReference) func aFunctionOfAKindThatCannotHaveItWasNil(
        _ backend: Backend
    ) throws {
        try withKinds(backend) { db, request in
            for (text, advice) in [
                ("dictionaryValue CONTAINS 1", "1 IN dictionaryValue"),
                ("stringValue.length == 3", "length(stringValue)"),
                ("stringValue.@count == 3", "length(stringValue)"),
                ("dataValue LIKE 'a'", "keep texts as strings"),
                ("ANY stringValue == 'a'", "Leave the word out"),
                ("ALL intValue == 3", "Leave the word out"),
                ("arrayValue BEGINSWITH 'a'", "ANY arrayValue"),
                ("intValue CONTAINS '3'", "CAST(intValue, \"NSString\")"),
                ("dateValue < '2024'", "date(\"2024-05-01T12:00:00Z\")"),
                ("stringValue * 2 == 4", "it holds string"),
                ("length(intValue) == 4", "it holds int"),
                ("uppercase(dateValue) == 'A'", "it holds date"),
                ("SUBQUERY(stringValue, $x, $x == 1).@count == 1", "it holds string"),
                ("CAST(arrayValue, 'NSNumber') == 1", "it holds array"),
                ("intValue[0] == 1", "it holds int"),
                ("TERNARY(intValue CONTAINS 'a', 1, 2) == 1", "CAST"),
            ] {
                request.predicate = try DataStorePredicate(text)
                let error = expectError(.invalidRequest) { _ = try db.count(request) }
                #expect(error?.message.contains(advice) == true, "\(error?.message ?? "")")
            }
        }
    }
}
