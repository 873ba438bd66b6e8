import Foundation
import JustPersist
import Synchronization
import Workload

/// Asks a store for everything it holds, in every way, and compares the answers with the model.
struct Examination {
    let workload: Workload
    /// The blocks that must be there; `nil` takes the ledger's word for it.
    let expected: Set<Int>?
    var verdict = Verdict()
    /// The errors that properties reported, because they cannot throw.
    let reports = Reports()

    init(_ workload: Workload, expecting expected: Set<Int>?) {
        self.workload = workload
        self.expected = expected
    }

    /// Examines one snapshot of an open store.
    mutating func examine(_ store: any DataStore) {
        let handler = store.errorHandler
        store.errorHandler = { [reports] in reports.add($0) }
        defer { store.errorHandler = handler }
        attempt { examination in
            try store.performRead { accessor in examination.examine(accessor) }
        }
        verdict.errors += reports.all.map { "reported: \($0)" }
    }

    /// Has the store verify itself.
    mutating func verify(_ store: any DataStore) {
        do {
            let report = try store.verify()
            verdict.problems += report.problems.prefix(5).map { "\($0)" }
        } catch {
            verdict.problems.append("verify threw \(error)")
        }
    }

    private mutating func examine(_ accessor: borrowing DataStoreReader) {
        do {
            var seen: [Int] = []
            for entry in try accessor.items(
                LedgerEntry.self, where: DataStorePredicate("writer == %@", workload.writer))
            {
                guard case .int(let number) = try entry.backing.value(at: 1) else {
                    verdict.wrongValues.append("a ledger entry has no block")
                    continue
                }
                seen.append(Int(number))
            }
            verdict.blocks = seen
            if Set(seen).count != seen.count {
                verdict.wrongRows.append("the ledger has a block twice")
            }
            if let expected, Set(seen) != expected {
                verdict.wrongRows.append(
                    "the ledger has \(seen.count) blocks, \(expected.subtracting(seen).count) are missing"
                )
            }
        } catch {
            verdict.errors.append("\(error)")
            guard expected != nil else { return }
        }
        let state = ModelState(of: workload, after: expected ?? Set(verdict.blocks))
        for kind in Workload.Kind.allCases { examine(kind, state, accessor) }
        examineLinks(state, accessor)
    }

    private mutating func examine(
        _ kind: Workload.Kind, _ state: ModelState,
        _ accessor: borrowing DataStoreReader
    ) {
        let type = workload.typeKey(kind)
        let keys = state.keys(kind)
        do {
            let items = try accessor.dynamicItems(DataStoreRequest(itemTypeKey: type))
            if items.map(\.uniqueToken) != keys.map({ workload.id(kind, key: $0) }) {
                verdict.wrongRows.append(
                    "\(type): \(items.count) rows, not the \(keys.count) that were written, in their order"
                )
            }
            for item in items { compare(item, kind, state) }
        } catch {
            verdict.errors.append("all of \(type): \(error)")
        }
        do {
            let count = try accessor.count(DataStoreRequest(itemTypeKey: type))
            if count != keys.count {
                verdict.wrongRows.append("\(type): counted \(count), \(keys.count) were written")
            }
        } catch {
            verdict.errors.append("count of \(type): \(error)")
        }
        // Deleted items among them: they must not be found.
        for key in 0..<(keys.last ?? 0) + 2 { lookUp(kind, key: key, state, accessor) }
    }

    private mutating func lookUp(
        _ kind: Workload.Kind, key: Int, _ state: ModelState,
        _ accessor: borrowing DataStoreReader
    ) {
        do {
            let item = try accessor.performFetchItem(
                ItemType(dynamic: workload.typeKey(kind)), id: workload.id(kind, key: key))
            if (item != nil) != (state.block(kind, key: key) != nil) {
                verdict.wrongRows.append(
                    "\(workload.typeKey(kind)) \(key) is \(item == nil ? "not found" : "found, though deleted")"
                )
            }
            if let item { compare(item, kind, state) }
        } catch {
            verdict.errors.append("\(workload.typeKey(kind)) \(key): \(error)")
        }
    }

    /// Compares one item, wherever it came from, with the model.
    private mutating func compare(
        _ item: any DataStoreItem, _ kind: Workload.Kind, _ state: ModelState
    ) {
        do {
            guard case .int(let number) = try item.backing.value(forAttribute: "key"),
                let block = state.block(kind, key: Int(number))
            else {
                // Which rows there are is compared elsewhere: this one has no values to be compared with.
                verdict.wrongRows.append(
                    "\(workload.typeKey(kind)): a row that should not be there")
                return
            }
            let name = "\(workload.typeKey(kind)) \(number)"
            if item.uniqueToken != workload.id(kind, key: Int(number)) {
                verdict.wrongValues.append("\(name) has another's id")
            }
            let contents = workload.contents(kind, key: Int(number), block: block)
            guard let difference = try difference(item, contents) else { return }
            let isOlder = try (0..<block).contains { earlier in
                guard workload.changes(kind, key: Int(number), in: earlier) else { return false }
                let older = workload.contents(kind, key: Int(number), block: earlier)
                return try self.difference(item, older) == nil
            }
            if isOlder {
                verdict.olderValues.append(name)
            } else {
                verdict.wrongValues.append("\(name): \(difference)")
            }
        } catch {
            verdict.errors.append("\(error)")
        }
    }

    /// An attribute in which an item is not what it should be; `nil` if there is none.
    private func difference(
        _ item: any DataStoreItem, _ contents: Workload.Contents
    ) throws -> String? {
        try contents.values.first { try item.backing.value(forAttribute: $0.key) != $0.value }?.key
    }

    private mutating func attempt(_ body: (inout Examination) throws -> Void) {
        do {
            try body(&self)
        } catch {
            verdict.errors.append("\(error)")
        }
    }
}

/// The errors that a store reported.
final class Reports: Sendable {
    private let errors = Mutex<[DataStoreError]>([])

    var all: [DataStoreError] { errors.withLock { $0 } }

    func add(_ error: DataStoreError) { errors.withLock { $0.append(error) } }
}
