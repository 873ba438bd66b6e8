import Foundation
import JustPersist
import Testing

/// Clause 5: a property cannot throw where its stored value cannot be read, so the block fails in its stead.
@Suite struct UnreadableValueTests {
    /// How a value is read without `try`.
    enum Getter: String, CaseIterable {
        case property, optional, array, dictionary, reference, enumeration, codable, keyPath, key
        case values

        /// What is stored, which the getter cannot read.
        var stored: DataStoreValue {
            switch self {
            case .array: .array([.string("a")])
            case .dictionary: .dictionary(["a": .string("a")])
            case .enumeration: .string("unheardOf")
            case .codable: .dictionary([:])
            default: .int(7)
            }
        }

        var code: DataStoreError.Code {
            switch self {
            case .array, .dictionary, .enumeration, .codable: .unsupportedValue
            case .keyPath, .key: .unknownAttribute
            default: .kindMismatch
            }
        }

        func read(_ item: Odd) {
            switch self {
            case .property, .values: _ = item.text + "!"
            case .optional: _ = item.optionalText
            case .array: _ = item.numbers
            case .dictionary: _ = item.counts
            case .reference: _ = item.reference
            case .enumeration: _ = item.size
            case .codable: _ = item.place
            case .keyPath: _ = item.value(forKeyPath: "unheardOf.a")
            case .key: _ = item.object(forKey: "unheardOf")
            }
        }
    }

    /// A class that declares no kinds, so that only its getters know what they can read.
    final class Odd: MutableDataStoreItem {
        static let schema = ItemSchema("Odd", attributes: [AttributeSchema("value")])
        let backing: any ItemBacking
        init(backing: any ItemBacking) { self.backing = backing }

        enum Size: String, Codable { case small }
        struct Place: Codable { var street: String }

        var text: String {
            get { attribute(at: 0, default: "") }
            set { setAttribute(newValue, at: 0) }
        }
        var optionalText: String? { optionalAttribute(at: 0) }
        var numbers: [Int] { attribute(at: 0, default: []) }
        var counts: [String: Int] { attribute(at: 0, default: [:]) }
        var reference: ItemReference? { optionalAttribute(at: 0) }
        var size: Size { attribute(at: 0, default: .small) }
        var place: Place? { optionalAttribute(at: 0) }
    }

    struct OddValues: ItemValues {
        var uniqueToken: ItemID
        var text: String
        init(_ odd: Odd) {
            uniqueToken = odd.uniqueToken
            text = odd.text
        }
        func assign(to odd: Odd) { odd.text = text }
    }

    private func fill(_ store: any DataStore, _ value: DataStoreValue) throws {
        try store.write { db in try db.create(Odd.self).setStoredValue(value, forKeyPath: "value") }
    }

    private func stored(_ store: any DataStore) throws -> [DataStoreValue] {
        try store.read { db in
            try db.items(Odd.self).map { try $0.storedValue(forKeyPath: "value") }
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func writeThatUsesAnUnreadableValueDestroysIt(_ backend: Backend) throws {
        let errors = ErrorLog()
        try backend.withStore(errors: errors) { store in
            try fill(store, .int(7))
            let error = expectError(.kindMismatch) {
                try store.write { db in
                    let item = try #require(try db.first(Odd.self))
                    item.text = item.text + "!"
                }
            }
            #expect(error?.attribute == "value")
            #expect(error?.isReported == true)
            #expect(errors.codes == [.kindMismatch])
            try #expect(stored(store) == [.int(7)])
        }
    }

    @Test(arguments: Backend.memoryAndReference, Getter.allCases)
    func unreadableValueFailsABlockThatThrows(_ backend: Backend, _ getter: Getter) async throws {
        try await backend.withStore { store in
            try fill(store, getter.stored)
            @Sendable func use(_ db: borrowing DataStoreWriter) throws {
                let item = try #require(try db.first(Odd.self))
                if getter == .values { _ = OddValues(item) } else { getter.read(item) }
                item.text = "lost"
                _ = try db.create(Odd.self)
            }
            expectError(getter.code) { try store.write { db in try use(db) } }
            expectError(getter.code) { try store.writeSync { db in try use(db) } }
            let error = await #expect(throws: DataStoreError.self) {
                try await store.write { db in try use(db) }
            }
            #expect(error?.code == getter.code)
            // Several that share a commit: only those fail that read the value.
            let outcomes: [Bool] = await withCheckedContinuation { continuation in
                let list = SharedList<Bool>()
                for number in 0..<3 {
                    store.writeAsync { db in
                        if number == 1 { try use(db) }
                    } completion: { result in
                        list.append((try? result.get()) != nil)
                        if number == 2 { continuation.resume(returning: list.all) }
                    }
                }
            }
            #expect(outcomes == [true, false, true])
            try #expect(stored(store) == [getter.stored])
        }
    }

    @Test(arguments: Backend.memoryAndReference, Getter.allCases)
    func unreadableValueFailsAReadThatThrows(_ backend: Backend, _ getter: Getter) async throws {
        let errors = ErrorLog()
        try await backend.withStore(errors: errors) { store in
            try fill(store, getter.stored)
            @Sendable func use(_ db: borrowing DataStoreReader) throws {
                getter.read(try #require(try db.first(Odd.self)))
            }
            expectError(getter.code) { try store.read { db in try use(db) } }
            expectError(getter.code) { try store.readSync { db in try use(db) } }
            let error = await #expect(throws: DataStoreError.self) {
                try await store.read { db in try use(db) }
            }
            #expect(error?.code == getter.code)
            #expect(errors.codes == [getter.code, getter.code, getter.code])
            let streamed = await #expect(throws: DataStoreError.self) {
                for try await _ in store.values(of: Odd.self, { getter.read($0) }) {}
            }
            #expect(streamed?.code == getter.code)
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func unreadableValueIsReportedAndTheOriginalsBlockGoesOn(_ backend: Backend) throws {
        let errors = ErrorLog()
        try backend.withStore(errors: errors) { store in
            try fill(store, .int(7))
            @Sendable func use(_ item: (any DataStoreItem)?) { _ = (item as? Odd)?.text }
            store.writeSync { db in
                use(db.firstMutableItem(forRequest: DataStoreRequest(itemType: Odd.self)))
                _ = db.createItem(ofMutableType: Odd.self)
            }
            let done = DispatchSemaphore(value: 0)
            store.writeAsync { db in
                use(db.firstMutableItem(forRequest: DataStoreRequest(itemType: Odd.self)))
                _ = db.createItem(ofMutableType: Odd.self)
            } completion: {
                done.signal()
            }
            done.wait()
            store.read { db in use(db.firstItem(forRequest: DataStoreRequest(itemType: Odd.self))) }
            #expect(errors.codes == [.kindMismatch, .kindMismatch, .kindMismatch])
            try #expect(stored(store) == [.int(7), .null, .null])
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func unreadableValueFailsABlockOfAChild(_ backend: Backend) throws {
        try backend.withStore { store in
            try fill(store, .int(7))
            let child = try store.makeChild()
            try child.open()
            expectError(.kindMismatch) {
                try child.write { db in
                    let item = try #require(try db.first(Odd.self))
                    item.text += "!"
                }
            }
            try #expect(stored(child) == [.int(7)])
            _ = try store.merge(child, policy: .childWins)
            try #expect(stored(store) == [.int(7)])
            try child.close()
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func itemWithAnUnreadableValueCanBeMendedAndDeleted(_ backend: Backend) throws {
        try backend.withStore { store in
            try fill(store, .int(7))
            try fill(store, .int(8))
            try store.write { db in
                let items = try db.items(Odd.self)
                // An error that is thrown is up to the block.
                expectError(.kindMismatch) { _ = try db.values(OddValues.self) }
                try #expect(items[0].storedValue(forKeyPath: "value") == .int(7))
                items[0].text = "7"
                try db.delete(items[1])
            }
            try #expect(stored(store) == [.string("7")])
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func unreadableValueConcernsTheInnermostBlockThatThrows(_ backend: Backend) throws {
        try backend.withStore { store in
            try fill(store, .int(7))
            try Backend.memory.withStore { other in
                try other.write { db in
                    _ = try db.create(Odd.self)
                    expectError(.kindMismatch) {
                        _ = try store.read { db in try db.first(Odd.self)?.text }
                    }
                }
                try #expect(stored(other) == [.null])
                expectError(.kindMismatch) {
                    try other.write { db in
                        _ = try db.create(Odd.self)
                        store.read { db in
                            let request = DataStoreRequest(itemType: Odd.self)
                            _ = (db.firstItem(forRequest: request) as? Odd)?.text
                        }
                    }
                }
                try #expect(stored(other) == [.null])
            }
        }
    }

    /// Failures that no block throws are kept only up to a number.
    @Test func manyFailuresOutsideOfBlocksAreNoneOfLaterBlocks() throws {
        try Backend.memory.withStore { store in
            try fill(store, .int(7))
            var item: Odd?
            try store.performRead { db in item = try db.first(Odd.self) }
            for _ in 0..<1000 { _ = item?.text }
            try store.write { db in _ = try db.create(Odd.self) }
            expectError(.kindMismatch) { try store.write { _ in _ = item?.text } }
            try #expect(stored(store) == [.int(7), .null])
        }
    }
}
