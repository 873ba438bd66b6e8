import Foundation
import JustPersist
import Workload

/// Saves what can be read of a damaged store into a new one, and compares that with what was written.
enum Salvager {
    static func run(_ arguments: Arguments) throws -> SalvageVerdict {
        var verdict = SalvageVerdict()
        let place = try arguments.text("into").drop { $0 != ":" }.dropFirst()
        let target = URL(filePath: String(place), directoryHint: .isDirectory)
        let report: SalvageReport
        do {
            report = try arguments.store.salvage(into: target)
        } catch {
            verdict.error = "\(error)"
            return verdict
        }
        verdict.isComplete = report.isComplete
        verdict.mayLackChanges = report.mayLackChanges
        // LMDB's pages have no age; only the list of free pages says which are old.
        verdict.isAgeUnknown = report.damages.contains {
            $0.message.contains("the free pages cannot be determined")
        }
        verdict.remaining = report.remaining.map { "\($0)" }
        let store = try arguments.store("into")
        try store.open()
        defer { try? store.close() }
        let workload = try arguments.workload
        let blocks = try arguments.number("to", or: 0)
        let state = ModelState(of: workload, after: 0..<blocks)
        let ownTypes = Set(Workload.Kind.allCases.map(workload.typeKey))
        var found: Set<Int> = []
        try store.performRead { accessor in
            for type in report.types {
                let isNamed = ownTypes.contains(type.itemType)
                guard isNamed || type.itemType.hasPrefix("Recovered") else { continue }
                let told = Set(type.uncertainIDs)
                let request = DataStoreRequest(itemTypeKey: type.itemType)
                for item in try accessor.dynamicItems(request)
                // Where the names of types are lost, links and entries of the ledger are known by their ids alone.
                where isNamed || workload.isOwn(item.uniqueToken) {
                    let isDoubtful = told.contains(item.uniqueToken)
                    if let key = try compare(
                        item, workload, state, blocks,
                        isTold: isDoubtful || report.mayLackChanges, &verdict)
                    {
                        found.insert(key)
                        verdict.right += 1
                        if isDoubtful { verdict.doubtful += 1 }
                    }
                }
            }
            let names = Set(report.types.map(\.itemType))
            if report.isCatalogComplete, ownTypes.isSubset(of: names) {
                let isTold = report.mayLackChanges || report.types.contains { $0.uncertain > 0 }
                try compareLinks(workload, state, found, isTold: isTold, accessor, &verdict)
            }
        }
        for kind in Workload.Kind.allCases {
            verdict.missing += state.keys(kind).filter { !found.contains($0) }
        }
        return verdict
    }

    /// Compares the links between saved items, which each side must have, with all that there were.
    private static func compareLinks(
        _ workload: Workload, _ state: ModelState, _ found: Set<Int>, isTold: Bool,
        _ accessor: borrowing DataStoreReader, _ verdict: inout SalvageVerdict
    ) throws {
        for relation in Workload.Relation.allCases {
            var sides: [Workload.Kind: Set<Workload.Link>] = [:]
            for kind in Workload.Kind.allCases {
                let request = DataStoreRequest(itemTypeKey: workload.typeKey(kind))
                for item in try accessor.dynamicItems(request) {
                    guard let key = workload.key(kind, of: item.uniqueToken) else { continue }
                    let seen = workload.related(relation, of: item, kind)
                    for other in seen {
                        sides[kind, default: []].insert(
                            kind == .note
                                ? Workload.Link(relation, note: key, parcel: other)
                                : Workload.Link(relation, note: other, parcel: key))
                    }
                    // Which links there are is compared below.
                    let expected = state.others(relation, of: kind, key)
                    let present = expected.filter(seen.contains)
                    if !isTold, seen.filter(expected.contains) != present {
                        verdict.wrong.append("\(kind) \(key) has \(seen), and had \(expected)")
                    }
                }
            }
            let links = sides[.note] ?? []
            if links != sides[.parcel] ?? [] {
                verdict.wrong.append("the sides of \(relation) do not agree")
            }
            let expected = Set(
                state.keys(.note).flatMap { note in
                    state.parcels(relation, of: note).map {
                        Workload.Link(relation, note: note, parcel: $0)
                    }
                })
            verdict.links += links.intersection(expected).count
            for link in links.subtracting(expected)
            where !isTold || !state.everLinked.contains(link) {
                verdict.wrong.append("\(link), which was not there")
            }
            verdict.missingLinks +=
                expected.subtracting(links)
                .filter { found.contains($0.note) && found.contains($0.parcel) }.count
        }
    }

    /// The key of an item that is what it was last; otherwise the verdict says what it is.
    private static func compare(
        _ item: DynamicItem, _ workload: Workload, _ state: ModelState, _ blocks: Int, isTold: Bool,
        _ verdict: inout SalvageVerdict
    ) throws -> Int? {
        let id = item.uniqueToken
        guard
            let kind = Workload.Kind.allCases.first(where: { kind in
                workload.key(kind, of: id) != nil
            }), let key = workload.key(kind, of: id)
        else {
            verdict.wrong.append("an item with the id \(id), which was never written")
            return nil
        }
        if let block = state.block(kind, key: key),
            try equals(item, workload.contents(kind, key: key, block: block))
        {
            return key
        }
        let isOlder = try (0..<blocks).contains { block in
            try workload.changes(kind, key: key, in: block)
                && equals(item, workload.contents(kind, key: key, block: block))
        }
        if isOlder, isTold {
            verdict.olderTold.append(key)
        } else {
            verdict.wrong.append(
                "\(kind) \(key) \(isOlder ? "is older or was deleted, which was not told" : "has values that were never written")"
            )
        }
        return nil
    }

    /// Whether an item has the values; where the names of its attributes were lost, by their order.
    private static func equals(
        _ item: DynamicItem, _ contents: Workload.Contents
    ) throws -> Bool {
        try ["key", "name", "weight", "body"].enumerated().allSatisfy { place, name in
            // An attribute without its name is unknown under it.
            let value =
                try (try? item.backing.value(forAttribute: name))
                ?? item.backing.value(forAttribute: "attribute\(place)")
            return value == contents.values[name]
        }
    }
}
