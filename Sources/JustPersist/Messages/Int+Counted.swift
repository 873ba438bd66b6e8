extension Int {
    /// The number with its noun, as “1 item” and “2 items”; `many` if an “s” is not enough.
    package func counted(_ one: String, _ many: String? = nil) -> String {
        self == 1 ? "1 \(one)" : "\(self) \(many ?? one + "s")"
    }
}
