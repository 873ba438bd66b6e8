/// An option in the URL of a store, such as `mapSize=64GiB`, and its effect on some settings.
///
/// A backend lists its options once, when it is registered. The list parses them, refuses unknown ones, and documents
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
    /// The name, as it is written in a URL; case matters.
    public let name: String
    /// A sentence that describes the option.
    public let meaning: String
    /// The valid values, as messages show them: “full or relaxed”.
    public let values: String
    /// One of those values.
    public let example: String

    private let text: @Sendable (Settings) -> String?
    private let change: @Sendable (inout Settings, String) -> Bool

    /// An option whose values have their own form; for common forms see ``flag(_:_:_:)`` and the related methods.
    ///
    /// - Parameters:
    ///   - name: The name, as it is written in a URL.
    ///   - meaning: A sentence that describes the option.
    ///   - values: The valid values, as the end of a sentence that begins with “It takes”.
    ///   - example: One of those values.
    ///   - text: Returns the value in the settings, as it is written in a URL; `nil` if they have none.
    ///   - change: Applies a text from a URL to the settings. It returns false, and changes nothing, if the text is
    ///     not a valid value. It is called with any text.
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

    /// Applies a text to the settings; returns false, and changes nothing, if the text is not a valid value.
    public func set(_ settings: inout Settings, to text: String) -> Bool {
        change(&settings, text)
    }

    /// The description of the option, with the value in these settings as its default.
    public func summary(of settings: Settings) -> DataStoreOptionSummary {
        DataStoreOptionSummary(
            name: name, meaning: meaning, values: values, example: example,
            defaultValue: text(settings))
    }
}

/// The description of an option of a store's URL.
public struct DataStoreOptionSummary: Sendable, Hashable {
    /// The name, as it is written in a URL.
    public let name: String
    /// A sentence that describes the option.
    public let meaning: String
    /// The valid values, in words.
    public let values: String
    /// One of those values.
    public let example: String
    /// The value that applies if the URL does not have the option, as a URL writes it; `nil` if there is none.
    public let defaultValue: String?
}
