import Foundation
import JustPersist

/// `#Predicate` expressions about spots, grouped by topic in small functions: the type checker is slow on large lists.
struct FoundationTable {
    struct Entry: Sendable {
        let predicate: Predicate<Spot>
        /// The number of parts that Foundation evaluates.
        let evaluated: Int
        /// The place of the expression in the source.
        let place: String
    }

    static let all: [Entry] = {
        var table = FoundationTable()
        for fill in [
            numbers, optionalNumbers, extremes, arithmetic, divisions, doubles, decimals, ranges,
            texts, optionalTexts, textParts, dates, truths, logic, choices, coalescing, unwrapping,
            lists, optionalLists, elements, numberLists, closures, closuresOfItems, filters,
            extremesOfLists, dictionaries, enums, structures, visits, otherKinds, casts,
            regularExpressions, ownTypes, otherCollections, constants, mixtures, evaluatedParts,
        ] {
            fill(&table)
        }
        return table.entries
    }()

    private var entries: [Entry] = []

    mutating func add(
        _ predicate: Predicate<Spot>, evaluated: Int = 0, file: StaticString = #fileID,
        line: UInt = #line
    ) {
        let file = "\(file)".split(separator: "/").last ?? ""
        entries.append(Entry(predicate: predicate, evaluated: evaluated, place: "\(file):\(line)"))
    }
}
