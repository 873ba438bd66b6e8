import Foundation
import JustPersist

/// A store that is inspected: each view of it is one read block with a deadline, whose result is copied out and then sent.
struct StoreView: Sendable {
    let store: any DataStore
    /// The name that the page shows.
    let name: String
    let redaction: Redaction

    /// The time after which a view is given up.
    static let deadline = Duration.seconds(2)
    /// The most rows of one answer.
    static let mostRows = 1000
    /// The bytes of a cell of the grid, and of an item's own page.
    static let (cellBytes, itemBytes) = (1 << 10, 64 << 10)

    /// Runs a read block that ends when its time has passed or the client has disconnected.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (borrowing DataStoreReader) throws -> Value
    ) async throws -> Value {
        try await store.read { db in
            try WorkLimit.within(Self.deadline, countsPauses: true) { () throws in
                try redaction.checkNames(db)
                return try body(db)
            }
        }
    }

    /// The items that a page asks for.
    ///
    /// - Throws: The fault of the predicate, with its place.
    func request(
        _ parameters: Parameters, _ db: borrowing some DataStoreReadAccessor & ~Copyable
    ) throws -> (request: DataStoreRequest, schema: ItemSchema) {
        let schema = try schema(parameters.required("type"), db)
        let request = DataStoreRequest(itemTypeKey: schema.itemTypeKey)
        request.deadline = Self.deadline
        if let text = try parameters.optional("where"), !text.allSatisfy(\.isWhitespace) {
            let predicate = try DataStorePredicate(text, arguments: [])
            try redaction.check(predicate, of: schema.itemTypeKey)
            request.predicate = predicate
        }
        let sort = parameters.all("sort").map(DataStoreSortDescriptor.init(parameter:))
        for descriptor in sort where !redaction.isEmpty {
            let key = try RequestKey(descriptor.key, of: schema, in: "sort")
            try redaction.check(
                .comparison(.init(key.expression, .equal, .value(.null))),
                of: schema.itemTypeKey)
        }
        if !sort.isEmpty { request.sortDescriptors = sort }
        request.offset = try parameters.number("offset", 0...Int(Int32.max))
        request.limit = try parameters.number("limit", 1...Self.mostRows) ?? 100
        return (request, schema)
    }

    func schema(
        _ type: String, _ db: borrowing some DataStoreReadAccessor & ~Copyable
    ) throws(DataStoreError) -> ItemSchema {
        if let schema = try db.schemas().schema(ofType: type) { return schema }
        throw DataStoreError(
            .invalidRequest, in: "inspect", "The store has no type “\(type)”.", itemType: type)
    }

    /// The value of an attribute, or the reason that it is not shown.
    func cell(
        _ attribute: String, of item: any DataStoreItem, type: String, limit: Int
    ) throws(DataStoreError) -> Cell {
        Cell(
            try item.backing.value(forAttribute: attribute), limit: limit,
            isHidden: redaction.hides(attribute, of: type))
    }
}

extension DataStoreSortDescriptor {
    /// A criterion as the page writes it: `KEY`, or `KEY:desc`.
    fileprivate init(parameter: String) {
        let isDescending = parameter.hasSuffix(":desc")
        self.init(
            key: isDescending ? String(parameter.dropLast(5)) : parameter,
            ascending: !isDescending)
    }
}

/// The parameters of a request.
struct Parameters: Sendable {
    let query: [(name: String, value: String)]

    func all(_ name: String) -> [String] { query.filter { $0.name == name }.map(\.value) }

    /// The value of a parameter that may occur once.
    func optional(_ name: String) throws(DataStoreError) -> String? {
        let values = all(name)
        if values.count < 2 { return values.first }
        throw DataStoreError(
            .invalidRequest, in: "inspect", "“\(name)” is given \(values.count) times.")
    }

    func required(_ name: String) throws(DataStoreError) -> String {
        if let value = try optional(name) { return value }
        throw DataStoreError(.invalidRequest, in: "inspect", "“\(name)” is missing.")
    }

    func number(_ name: String, _ range: ClosedRange<Int>) throws(DataStoreError) -> Int? {
        guard let text = try optional(name) else { return nil }
        if let number = Int(text), range.contains(number) { return number }
        throw DataStoreError(
            .invalidRequest, in: "inspect",
            "“\(name)” must be from \(range.lowerBound) to \(range.upperBound).")
    }

    /// A key of the store's entries.
    func key(_ name: String) throws(DataStoreError) -> [UInt8]? {
        guard let digits = try optional(name) else { return nil }
        if digits.utf8.count <= 2048, let key = [UInt8](hexadecimal: digits) { return key }
        throw DataStoreError(
            .invalidRequest, in: "inspect", "“\(name)” must be a key in hexadecimal digits.")
    }
}
