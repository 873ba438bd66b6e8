extension Double {
    /// A text that gives back every bit, the payload of NaN included: `-0.0`, `1e+300`, `0x7ff8…`.
    package var exactText: String {
        isNaN ? "0x" + String(bitPattern, radix: 16) : description
    }

    /// The number whose ``exactText`` this is, or another decimal writing of it.
    package init?(exactText: String) {
        guard exactText.hasPrefix("0x") else {
            self.init(exactText)
            return
        }
        guard let bits = UInt64(exactText.dropFirst(2), radix: 16) else { return nil }
        self.init(bitPattern: bits)
    }
}
