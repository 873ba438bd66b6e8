/// Conversion of numbers of bytes from and to readable text: `4096`, `64KiB`, `2GB`.
enum ByteSize {
    // TiB does not fit into an Int of 32 bits.
    private static let binary = [("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10)]
        .compactMap { name, bits in Int(exactly: Int64(1) << bits).map { (name, $0) } }
    private static let decimal = [("TB", 4), ("GB", 3), ("MB", 2), ("KB", 1), ("B", 0)]

    /// The number in a text; `nil` if it is not a number of bytes, or does not fit into an `Int`.
    static func bytes(in text: String) -> Int? {
        let digits = text.prefix { ("0"..."9").contains($0) }
        guard let number = Int(digits) else { return nil }
        let unit = text[digits.endIndex...].lowercased()
        if unit.isEmpty { return number }
        if let (_, size) = binary.first(where: { $0.0.lowercased() == unit }) {
            return product(number, size)
        }
        guard let (_, thousands) = decimal.first(where: { $0.0.lowercased() == unit }) else {
            return nil
        }
        return (0..<thousands).reduce(Optional(number)) { sum, _ in
            sum.flatMap { product($0, 1000) }
        }
    }

    /// A number of bytes in the largest binary unit that needs no fraction.
    static func text(of bytes: Int) -> String {
        for (name, size) in binary where bytes >= size && bytes % size == 0 {
            return "\(bytes / size)\(name)"
        }
        return String(bytes)
    }

    private static func product(_ a: Int, _ b: Int) -> Int? {
        let (product, overflow) = a.multipliedReportingOverflow(by: b)
        return overflow ? nil : product
    }
}
