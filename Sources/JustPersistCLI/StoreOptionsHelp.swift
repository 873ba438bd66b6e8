import JustPersist

/// The options of the stores' URLs, as the backends list them, for people.
enum StoreOptionsHelp {
    /// A paragraph for each backend.
    static var text: String {
        DataStores.schemes.map { scheme in
            let options = DataStores.options(ofScheme: scheme).map { option in
                "  \(option.name)=\(option.example): \(option.meaning) It takes \(option.values)."
            }
            return "Options of \(scheme): stores:\n" + options.joined(separator: "\n")
        }.joined(separator: "\n\n")
    }
}
