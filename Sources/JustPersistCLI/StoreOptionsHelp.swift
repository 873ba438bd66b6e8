import JustPersist

/// The help text on the options of the stores' URLs, as the backends list them.
enum StoreOptionsHelp {
    /// A line for each option, with the backends that support it.
    static var text: String {
        var lines: [String] = []
        var known: Set<DataStoreOptionSummary> = []
        for option in DataStores.schemes.flatMap({ DataStores.options(ofScheme: $0) })
        where known.insert(option).inserted {
            let schemes = DataStores.schemes.filter {
                DataStores.options(ofScheme: $0).contains(option)
            }
            let names = schemes == DataStores.schemes ? "all" : schemes.joined(separator: ", ")
            lines.append("  \(option.name)=\(option.example) (\(names)): \(option.meaning)")
        }
        return "The options:\n" + lines.joined(separator: "\n")
    }
}
