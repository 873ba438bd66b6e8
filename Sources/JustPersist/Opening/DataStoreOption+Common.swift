extension DataStoreOption where Settings == DataStoreOptions {
    /// The options that every store can have: `readOnly`, `create`, `durability`, `changeLog` and `threading`.
    public static var common: [DataStoreOption] {
        [.readOnly, .create, .durability, .changeLog, .threading]
    }

    /// `readOnly`: whether writes are refused.
    ///
    /// A URL cannot make a store writable that the code opens read-only.
    public static var readOnly: DataStoreOption {
        DataStoreOption(
            "readOnly", "Refuse all writes. It cannot allow what the program refuses.",
            values: "true or false", example: "true",
            text: { String($0.isReadOnly) },
            change: { options, text in
                guard let isOn = Bool(optionText: text) else { return false }
                options.isReadOnly = options.isReadOnly || isOn
                return true
            })
    }

    /// `create`: whether a missing store is created.
    public static var create: DataStoreOption {
        .flag("create", \.createsIfMissing, "Create the store if it does not exist.")
    }

    /// `durability`: the failures that committed writes survive.
    public static var durability: DataStoreOption {
        .choice(
            "durability", \.durability,
            "What a committed write survives: with full a loss of power, with relaxed only the end of the process."
        )
    }

    /// `changeLog`: the number of commits, and of bytes, that the store keeps for change streams.
    public static var changeLog: DataStoreOption {
        DataStoreOption(
            "changeLog",
            "How many commits to keep for streams that resume after a restart; the store remembers it.",
            values: "off, a number of commits, or that and a number of bytes as in 1000,64MiB",
            example: "1000,64MiB",
            text: {
                $0.changeLog.map {
                    $0.isOff ? "off" : "\($0.commits),\(ByteSize.text(of: $0.bytes))"
                }
            },
            change: { options, text in
                guard let length = ChangeLogLength(optionText: text) else { return false }
                options.changeLog = length
                return true
            })
    }

    /// `threading`: the thread on which blocks run.
    public static var threading: DataStoreOption {
        .choice(
            "threading", \.threading, "The thread on which the blocks of read and writeSync run.")
    }
}

extension ChangeLogLength {
    /// The length of a word in a URL or in configuration.
    fileprivate init?(optionText text: String) {
        if text == "off" {
            self = .off
            return
        }
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard parts.count <= 2, let commits = Int(parts[0]), commits >= 0 else { return nil }
        if parts.count == 1 {
            self = commits == 0 ? .off : ChangeLogLength(commits: commits)
        } else {
            guard let bytes = ByteSize.bytes(in: parts[1]) else { return nil }
            self.init(commits: commits, bytes: bytes)
        }
    }
}
