/// Suggestions for names that do not exist.
extension String {
    /// Whether one contains the other, or they differ in few letters; case is ignored.
    package func isNear(_ other: String) -> Bool {
        let a = lowercased()
        let b = other.lowercased()
        if a.count > 2, b.count > 2, a.contains(b) || b.contains(a) { return true }
        return a.distance(to: b) <= Swift.min(2, a.count / 3)
    }

    /// The number of letters to insert, remove or replace (Levenshtein's distance).
    fileprivate func distance(to other: String) -> Int {
        let letters = Array(other)
        var row = Array(0...letters.count)
        for (i, letter) in enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for j in letters.indices {
                let replaced = diagonal + (letters[j] == letter ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = Swift.min(row[j] + 1, row[j + 1] + 1, replaced)
            }
        }
        return row[letters.count]
    }
}

extension [String] {
    /// The names in quotes, as many as fit into a line.
    package var listed: String {
        let shown = prefix(20).map { "“\($0)”" }.joined(separator: ", ")
        return count > 20 ? shown + " and \(count - 20) more" : shown
    }

    /// The name that differs least from this one, if it is near; the first if there are several.
    package func nearest(to name: String) -> String? {
        filter { name.isNear($0) }.min { name.distance(to: $0) < name.distance(to: $1) }
    }

    /// Advice for a name that is not among these attributes: the nearest of them, or all.
    package func advice(for name: String) -> String {
        let near = filter { name.isNear($0) }
        return near.isEmpty ? "Its attributes are \(listed)." : "Did you mean \(near.listed)?"
    }
}
