import Foundation

/// A sort order as text: `"lastname:NO,firstname"`; terms without a direction have a default one.
struct SortTerms {
    let descriptors: [DataStoreSortDescriptor]

    init(_ text: String, ascending: Bool) {
        descriptors = text.split(separator: ",").map { term in
            let parts = term.split(separator: ":", omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces) }
            let direction = parts.count > 1 ? Self.isTrue(parts[parts.count - 1]) : ascending
            return DataStoreSortDescriptor(key: parts[0], ascending: direction)
        }
    }

    /// Foundation's rule for truth values: YES, true or a number that is not 0, in either case.
    private static func isTrue(_ text: String) -> Bool {
        guard let first = text.drop(while: { "+-0".contains($0) }).first else { return false }
        return "YyTt123456789".contains(first)
    }
}
