import JustPersist
import JustPersistCommandLine
import JustPersistImportExport

/// A predicate that no item fulfils, and that its author may have meant differently.
struct FruitlessPredicate {
    private let schema: ItemSchema
    private var hints: [String] = []

    /// Looks for the idioms of other languages in a predicate; `nil` if there are none.
    init?(_ predicate: DataStorePredicate?, of schema: ItemSchema) {
        guard let predicate else { return nil }
        self.schema = schema
        look(at: predicate)
        if hints.isEmpty { return nil }
    }

    /// Writes the advice to standard error.
    func complain() {
        StandardStreams.complain(
            "No item matches. " + hints.joined(separator: " ").printable)
    }

    private mutating func look(at predicate: DataStorePredicate) {
        switch predicate {
        case .comparison(let comparison):
            guard let hint = hint(on: comparison), !hints.contains(hint) else { return }
            hints.append(hint)
        case .and(let parts), .or(let parts): for part in parts { look(at: part) }
        case .not(let part): look(at: part)
        case .constant, .evaluated: break
        }
    }

    private func hint(on comparison: DataStorePredicate.Comparison) -> String? {
        switch (comparison.left, comparison.right) {
        case (.path, .value(.string(let pattern)))
        where comparison.operator == .like && pattern.contains("%")
            && !pattern.contains { $0 == "*" || $0 == "?" }:
            return "The wildcards of LIKE are * and ?; a “%” stands for itself."
        case (.value(.string(let text)), .value):
            guard schema.index(ofAttribute: text) != nil else { return nil }
            return "“\(text)” in quotes is a text; the attribute is written \(written(text))."
        case (.path(let path), .value(let value)):
            guard comparison.modifier == .direct,
                let index = schema.index(ofAttribute: path.components[0])
            else { return nil }
            let attribute = schema.attributes[index]
            if attribute.storedKinds.subtracting([.null]) == [.array] {
                let isOfArrays =
                    comparison.operator == .contains || path.description.contains("@")
                    || value.kind == .array && ![.in, .between].contains(comparison.operator)
                if isOfArrays { return nil }
                return
                    "“\(attribute.name)” holds arrays; write ANY \(path) … to compare their elements."
            }
            return path.components.count == 1 ? hint(on: value, as: attribute) : nil
        default: return nil
        }
    }

    /// A text and a number are never equal, and neither comes before the other.
    private func hint(on value: DataStoreValue, as attribute: AttributeSchema) -> String? {
        let stored = attribute.storedKinds.subtracting([.null])
        let numbers: Set<DataStoreValue.Kind> = [.int, .double, .decimal]
        if stored.isEmpty { return nil }
        switch value {
        case .string(let text) where stored.isSubset(of: numbers):
            return "“\(attribute.name)” holds numbers; write \(text) without quotes."
        case .string(let text) where stored == [.date]:
            return "“\(attribute.name)” holds dates; write date(\"\(Self.time(text))\")."
        case .int, .double, .decimal:
            guard stored == [.string] else { return nil }
            return "“\(attribute.name)” holds texts; write \"\(value.cellText)\" in quotes."
        default: return nil
        }
    }

    /// The time in a text, as `date(…)` accepts it; an example if it contains none.
    private static func time(_ text: String) -> String {
        let time = text.count == 10 ? text + "T00:00:00Z" : text
        return DataStoreValue(cell: time, kinds: [.date]) == nil ? "2026-03-01T12:00:00Z" : time
    }

    private func written(_ name: String) -> String {
        DataStorePredicate.AttributePath([name]).description
    }
}
