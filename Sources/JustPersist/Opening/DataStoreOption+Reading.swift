extension [DataStoreOption<DataStoreOptions>] {
    /// Removes the options of a URL that are in this list or another, and applies them to the settings.
    ///
    /// - Throws: `.invalidStoreURL` for an option that is in neither list, with the nearest name, and for an invalid
    ///   value, with the valid ones.
    func read<Settings>(
        _ url: StoreURL, into options: inout DataStoreOptions, and settings: inout Settings,
        of own: [DataStoreOption<Settings>]
    ) throws(DataStoreError) {
        var seen: Set<String> = []
        for given in url.options {
            guard seen.insert(given.name).inserted else {
                throw url.refusal("The option “\(given.name)” is given twice. Give it once.")
            }
            if let option = own.first(where: { $0.name == given.name }) {
                guard option.set(&settings, to: given.value) else {
                    throw url.refusal(of: given, takes: option.values)
                }
            } else if let option = first(where: { $0.name == given.name }) {
                guard option.set(&options, to: given.value) else {
                    throw url.refusal(of: given, takes: option.values)
                }
            } else {
                throw url.refusal(ofUnknown: given.name, among: own.map(\.name) + map(\.name))
            }
        }
    }
}

extension StoreURL {
    fileprivate func refusal(_ message: String) -> DataStoreError {
        DataStoreError(.invalidStoreURL, in: "open", message)
    }

    fileprivate func refusal(of given: StoreURLOption, takes values: String) -> DataStoreError {
        refusal("The option “\(given.name)” cannot be “\(given.value)”. It takes \(values).")
    }

    fileprivate func refusal(ofUnknown name: String, among names: [String]) -> DataStoreError {
        let advice =
            if names.isEmpty {
                "It has none."
            } else if let nearest = names.nearest(to: name) {
                "Did you mean “\(nearest)”?"
            } else {
                "Its options are \(names.listed). \(StoreURLOption.adviceForPaths)"
            }
        return refusal("“\(name)” is no option of a store of “\(scheme):”. \(advice)")
    }
}
