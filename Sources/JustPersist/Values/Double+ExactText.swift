extension Double {
    /// A text that preserves every bit, including the payload of NaN: `-0.0`, `1e+300`, `0x7ff8…`.
    package var exactText: String {
        isNaN ? "0x" + String(bitPattern, radix: 16) : description
    }

    /// The number of an ``exactText``, or of another decimal notation of it.
    package init?(exactText: String) {
        guard exactText.hasPrefix("0x") else {
            self.init(exactText)
            return
        }
        guard let bits = UInt64(exactText.dropFirst(2), radix: 16) else { return nil }
        self.init(bitPattern: bits)
    }
}
