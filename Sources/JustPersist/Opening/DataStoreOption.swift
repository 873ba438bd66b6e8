/// An option that the URL of a store may carry, such as `mapSize=64GiB`, and how it changes some settings.
///
/// A backend lists its options once, when it is registered. That list reads them, refuses what is not in it, and documents
/// them:
///
/// ```swift
/// struct RocksSettings { var cacheSize = 8 << 20 }
///
/// DataStores.register(
///     scheme: "rocks", settings: RocksSettings(),
///     options: [.size("cacheSize", \.cacheSize, "Memory for blocks that were read.")]
/// ) { location, common, settings throws(DataStoreError) in … }
/// ```
public struct DataStoreOption<Settings>: Sendable {
    /// The name, as it is written in a URL; case counts.
    public let name: String
    /// A sentence that says what it is for.
    public let meaning: String
    /// The values that it takes, as messages put it: “full or relaxed”.
    public let values: String
    /// One of those values.
    public let example: String

    private let text: @Sendable (Settings) -> String?
    private let change: @Sendable (inout Settings, String) -> Bool

    /// An option with values of a form of its own; for common forms see ``flag(_:_:_:)`` and those beside it.
    ///
    /// - Parameters:
    ///   - name: The name, as it is written in a URL.
    ///   - meaning: A sentence that says what the option is for.
    ///   - values: The values that it takes, as a message can put it behind “It takes”.
    ///   - example: One of those values.
    ///   - text: The value that settings have, as a URL writes it; `nil` if they have none.
    ///   - change: Changes the settings as a text from a URL says; returns false, and changes nothing, if the text is no value
    ///     of the option. It is called with any text.
    public init(
        _ name: String, _ meaning: String, values: String, example: String,
        text: @escaping @Sendable (Settings) -> String?,
        change: @escaping @Sendable (inout Settings, String) -> Bool
    ) {
        self.name = name
        self.meaning = meaning
        self.values = values
        self.example = example
        self.text = text
        self.change = change
    }

    /// Changes the settings as a text says; false, and no change, if the text is no value of the option.
    public func set(_ settings: inout Settings, to text: String) -> Bool {
        change(&settings, text)
    }

    /// What there is to say of the option, with the value that these settings have as its default.
    public func summary(of settings: Settings) -> DataStoreOptionSummary {
        DataStoreOptionSummary(
            name: name, meaning: meaning, values: values, example: example,
            defaultValue: text(settings))
    }
}

/// What there is to say of an option of a store's URL.
public struct DataStoreOptionSummary: Sendable, Hashable {
    /// The name, as it is written in a URL.
    public let name: String
    /// A sentence that says what the option is for.
    public let meaning: String
    /// The values that it takes, in words.
    public let values: String
    /// One of those values.
    public let example: String
    /// The value that holds if the URL does not have the option, as a URL writes it; `nil` if there is none.
    public let defaultValue: String?
}
