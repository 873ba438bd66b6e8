import Foundation
import JustPersist
import Workload

/// A workload, carried out by a store.
extension Workload {
    /// Writes a block, its entry in the ledger included.
    func write(_ number: Int, to store: any DataStore) throws {
        try store.write { accessor in
            for kind in Kind.allCases { try accessor.declare(schema(kind)) }
            for operation in block(number) { try carryOut(operation, of: number, accessor) }
            let entry = try accessor.create(LedgerEntry.self)
            entry.writer = writer
            entry.block = number
        }
    }

    private func carryOut(
        _ operation: Operation, of number: Int,
        _ accessor: borrowing DataStoreWriter
    ) throws {
        switch operation {
        case .create(let kind, let key):
            let item = DynamicItem(
                typeKey(kind), id: id(kind, key: key),
                values: contents(kind, key: key, block: number).values)
            guard try accessor.performInsert(item) else {
                throw WrongAnswer(reason: "\(typeKey(kind)) \(key) is said to be there already")
            }
        case .update(let kind, let key):
            guard let item = try item(kind, key: key, accessor) else { return }
            for (name, value) in contents(kind, key: key, block: number).values {
                try item.backing.setValue(value, forAttribute: name)
            }
        case .delete(let kind, let key):
            guard let item = try item(kind, key: key, accessor) else { return }
            try accessor.delete(item)
        case .deleteAll(let kind):
            // `deleteAll` needs a class, and its primitive keeps no relationships.
            let request = DataStoreRequest(itemTypeKey: typeKey(kind))
            for item in try accessor.dynamicItems(request) { try accessor.delete(item) }
        case .place(let note, let parcel):
            guard let item = try item(.note, key: note, accessor) else { return }
            let other = try parcel.flatMap { (key) throws in
                try self.item(.parcel, key: key, accessor)
            }
            guard (other == nil) == (parcel == nil) else { return }
            // Each way of saying it, in turn.
            switch (note % 3, other) {
            case (0, _): try item.setRelatedItem("parcel", to: other)
            case (1, _): item["parcel"] = other.map { .reference(ItemReference(to: $0)) } ?? .null
            case (_, let other?): ToMany<DynamicItem>(of: other, "notes").insert(item)
            case (_, nil):
                guard let former: DynamicItem = item.related("parcel") else { return }
                ToMany<DynamicItem>(of: former, "notes").remove(item)
            }
        case .list(let note, let parcel, let place):
            guard let item = try item(.note, key: note, accessor),
                let other = try self.item(.parcel, key: parcel, accessor)
            else { return }
            let list = ToMany<DynamicItem>(of: other, "list")
            if let place {
                list.insert(item, at: place)
            } else if note % 2 == 0 {
                list.insert(item)
            } else {
                ToMany<DynamicItem>(of: item, "lists").insert(other)
            }
        case .unlist(let note, let parcel):
            guard let item = try item(.note, key: note, accessor),
                let other = try self.item(.parcel, key: parcel, accessor)
            else { return }
            ToMany<DynamicItem>(of: other, "list").remove(item)
        }
    }

    private func item(
        _ kind: Kind, key: Int, _ accessor: borrowing DataStoreWriter
    ) throws -> DynamicItem? {
        try accessor.performFetchItem(ItemType(dynamic: typeKey(kind)), id: id(kind, key: key))
            as? DynamicItem
    }

    /// The id of an item: ascending with its key, so that the order of ids is the order of making.
    func id(_ kind: Kind, key: Int) -> ItemID {
        let words = idWords(kind, key: key)
        return ItemID(high: words.high, low: words.low)
    }

    /// The key of the item with an id; `nil` if no item of the kind has it.
    func key(_ kind: Kind, of id: ItemID) -> Int? {
        guard id.high >> 16 >= 0x0190_0000_0000, id.high >> 16 < 0x0190_1000_0000 else {
            return nil
        }
        let key = Int(id.high >> 16 - 0x0190_0000_0000)
        return self.id(kind, key: key) == id ? key : nil
    }

    /// Whether an id is that of an item of some kind.
    func isOwn(_ id: ItemID) -> Bool { Kind.allCases.contains { key($0, of: id) != nil } }

    private func schema(_ kind: Kind) -> ItemSchema {
        ItemSchema(
            typeKey(kind),
            attributes: [
                AttributeSchema("key", kinds: [.int]), AttributeSchema("name", kinds: [.string]),
                AttributeSchema("weight", kinds: [.double]),
                AttributeSchema("body", kinds: [.data]),
            ],
            indexes: [
                IndexSchema(["key"], isUnique: true), IndexSchema(["name"]),
                IndexSchema(["weight", "key"]),
            ], relationships: relationships(kind))
    }

    private func relationships(_ kind: Kind) -> [RelationshipSchema] {
        let other = typeKey(kind == .parcel ? .note : .parcel)
        return switch kind {
        case .parcel:
            [
                RelationshipSchema(
                    "notes", to: other, isToMany: true, deleteRule: .cascade, inverse: "parcel"),
                RelationshipSchema(
                    "list", to: other, isToMany: true, isOrdered: true, inverse: "lists"),
            ]
        case .note:
            [
                RelationshipSchema("parcel", to: other),
                RelationshipSchema("lists", to: other, isToMany: true),
            ]
        }
    }
}

extension Workload.Contents {
    /// The values by attribute.
    var values: [String: DataStoreValue] {
        [
            "key": .int(Int64(key)), "name": .string(name), "weight": .double(weight),
            "body": .data(body),
        ]
    }
}

/// An answer of the store that is plainly wrong, met while working.
struct WrongAnswer: Error {
    let reason: String
}
