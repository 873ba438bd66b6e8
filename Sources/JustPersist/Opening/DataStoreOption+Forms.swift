/// Options with values of common forms.
extension DataStoreOption {
    /// An option that is on or off.
    ///
    /// - Parameters:
    ///   - name: The name, as it is written in a URL.
    ///   - path: The setting.
    ///   - meaning: A sentence that describes the option.
    public static func flag(
        _ name: String, _ path: any WritableKeyPath<Settings, Bool> & Sendable, _ meaning: String
    ) -> DataStoreOption {
        DataStoreOption(
            name, meaning, values: "true or false", example: "true",
            text: { String($0[keyPath: path]) },
            change: { settings, text in
                guard let isOn = Bool(optionText: text) else { return false }
                settings[keyPath: path] = isOn
                return true
            })
    }

    /// An option that is a whole number.
    ///
    /// - Parameters:
    ///   - name: The name, as it is written in a URL.
    ///   - path: The setting.
    ///   - range: The valid numbers.
    ///   - meaning: A sentence that describes the option.
    public static func count(
        _ name: String, _ path: any WritableKeyPath<Settings, Int> & Sendable,
        in range: ClosedRange<Int> = 0 ... .max, _ meaning: String
    ) -> DataStoreOption {
        let most = range.upperBound == .max ? "on" : "to \(range.upperBound)"
        return DataStoreOption(
            name, meaning, values: "a whole number from \(range.lowerBound) \(most)",
            example: "\(range.contains(1000) ? 1000 : range.lowerBound)",
            text: { String($0[keyPath: path]) },
            change: { settings, text in
                guard let number = Int(text), range.contains(number) else { return false }
                settings[keyPath: path] = number
                return true
            })
    }

    /// An option that is a number of bytes: `65536`, `64KiB` or `64KB`.
    ///
    /// - Parameters:
    ///   - name: The name, as it is written in a URL.
    ///   - path: The setting.
    ///   - least: The smallest valid number.
    ///   - meaning: A sentence that describes the option.
    public static func size(
        _ name: String, _ path: any WritableKeyPath<Settings, Int> & Sendable,
        atLeast least: Int = 0, _ meaning: String
    ) -> DataStoreOption {
        DataStoreOption(
            name, meaning,
            values: "a number of bytes such as 4096, 64KiB, 8MiB or 2GB"
                + (least > 0 ? ", at least \(ByteSize.text(of: least))" : ""),
            example: ByteSize.text(of: max(least, 64 << 20)),
            text: { ByteSize.text(of: $0[keyPath: path]) },
            change: { settings, text in
                guard let bytes = ByteSize.bytes(in: text), bytes >= least else { return false }
                settings[keyPath: path] = bytes
                return true
            })
    }

    /// An option that is one of a few words: the raw values of a type.
    ///
    /// - Parameters:
    ///   - name: The name, as it is written in a URL.
    ///   - path: The setting.
    ///   - meaning: A sentence that describes the option.
    public static func choice<Choice: RawRepresentable<String> & CaseIterable & SendableMetatype>(
        _ name: String, _ path: any WritableKeyPath<Settings, Choice> & Sendable, _ meaning: String
    ) -> DataStoreOption {
        let words = Choice.allCases.map(\.rawValue)
        return DataStoreOption(
            name, meaning, values: words.joined(separator: " or "),
            example: words.last ?? "",
            text: { $0[keyPath: path].rawValue },
            change: { settings, text in
                guard let choice = Choice(rawValue: text) else { return false }
                settings[keyPath: path] = choice
                return true
            })
    }

    /// An option that is any text.
    ///
    /// - Parameters:
    ///   - name: The name, as it is written in a URL.
    ///   - path: The setting.
    ///   - example: One of its values.
    ///   - meaning: A sentence that describes the option.
    public static func text(
        _ name: String, _ path: any WritableKeyPath<Settings, String> & Sendable, example: String,
        _ meaning: String
    ) -> DataStoreOption {
        DataStoreOption(
            name, meaning, values: "a text", example: example,
            text: { $0[keyPath: path] },
            change: { settings, text in
                settings[keyPath: path] = text
                return true
            })
    }
}

extension Bool {
    /// The value of a word in a URL or in configuration.
    init?(optionText text: String) {
        switch text {
        case "true", "yes", "1": self = true
        case "false", "no", "0": self = false
        default: return nil
        }
    }
}
