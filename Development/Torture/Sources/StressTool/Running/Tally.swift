/// What was done how often, by activity.
final class Tally: Sendable {
    private struct Row {
        var count = 0
        var notes: [String: Int] = [:]
    }
    private let rows = Guarded<[String: Row]>([:])

    func add(_ name: String, _ count: Int, _ notes: [String: Int]) {
        rows.with { rows in
            rows[name, default: Row()].count += count
            rows[name, default: Row()].notes.merge(notes, uniquingKeysWith: +)
        }
    }

    /// A line for each activity.
    var text: String {
        rows.with { rows in
            rows.sorted { $0.key < $1.key }.map { name, row in
                let notes = row.notes.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
                let padding = String(repeating: " ", count: max(1, 24 - name.count))
                return "  \(name)\(padding)\(row.count)"
                    + (notes.isEmpty ? "" : "  (\(notes.joined(separator: ", ")))")
            }.joined(separator: "\n")
        }
    }
}
