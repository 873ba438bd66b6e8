import JustPersist

/// The kinds of values by name, as they are written on the command line.
extension DataStoreValue.Kind {
    private static let named = allCases.filter { $0 != .null }

    /// The names of the kinds that can be given.
    static let names = named.map { "\($0)" }.joined(separator: ", ")

    /// The kind with a name; `nil` if there is none.
    init?(named name: some StringProtocol) {
        guard let kind = Self.named.first(where: { "\($0)" == name }) else { return nil }
        self = kind
    }
}
