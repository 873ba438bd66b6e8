/// The start of a new data store: what was asked for, and the names that follow from it.
struct Scaffold {
    /// The name of what is wrapped: "Realm".
    let name: String
    /// Whether it keeps keys and values in order, instead of rows.
    let isKeyValue: Bool
    /// The target that it goes into, which need not exist yet.
    let target: String

    var testTarget: String { target + "Tests" }

    static let usage = """
        OVERVIEW: Write the start of a new data store, and the test that proves it.

        USAGE: swift package --allow-writing-to-package-directory new-data-store NAME [--engine] [--target TARGET]

        ARGUMENTS:
          NAME              What is wrapped: “Realm” makes RealmDataStore.

        OPTIONS:
          --engine          NAME is an ordered key-value engine: write a KeyValueEngine. Otherwise NAME is
                            a framework that keeps rows or objects: write a RowEngine.
          --target TARGET   The target that it goes into, new or not (default: JustPersistNAME).
          -h, --help        Show this.
        """

    /// What the arguments ask for; `nil` if that is help.
    init?(arguments: [String]) throws(ScaffoldError) {
        var names: [String] = []
        var isKeyValue = false
        var target: String?
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "-h", "--help": return nil
            case "--engine": isKeyValue = true
            case "--target":
                guard let value = rest.popFirst() else {
                    throw ScaffoldError("--target needs the name of a target after it.")
                }
                target = value
            default:
                guard !argument.hasPrefix("-") else {
                    throw ScaffoldError(
                        "There is no option \(argument). Known are --engine, --target and --help.")
                }
                names.append(argument)
            }
        }
        guard let first = names.first else {
            throw ScaffoldError(
                "NAME is missing: what is wrapped, as in “new-data-store Realm”. See --help.")
        }
        guard names.count == 1 else {
            throw ScaffoldError("One NAME at a time; there are \(names.count). See --help.")
        }
        name = try Self.baseName(first)
        self.isKeyValue = isKeyValue
        if let target, !Self.isIdentifier(target) {
            throw ScaffoldError(
                "“\(target)” cannot be the name of a module. Use letters, digits and _.")
        }
        self.target = target ?? "JustPersist\(name)"
    }

    /// `RealmDataStore` asks for the same as `Realm`.
    private static func baseName(_ name: String) throws(ScaffoldError) -> String {
        guard !keywords.contains(name) else {
            throw ScaffoldError("“\(name)” is a keyword of Swift. Choose another name.")
        }
        guard isIdentifier(name), name.first?.isUppercase == true else {
            throw ScaffoldError(
                """
                “\(name)” cannot begin the name of a type. Use letters, digits and _, beginning with \
                a capital.
                """)
        }
        var base = name[...]
        for suffix in ["DataStore", "Engine"] where base.hasSuffix(suffix) {
            base = base.dropLast(suffix.count)
        }
        guard !taken.contains(String(base)) else {
            throw ScaffoldError(
                "“\(name)” would clash with a type of JustPersist. Choose another name.")
        }
        return String(base)
    }

    private static func isIdentifier(_ name: String) -> Bool {
        guard let first = name.unicodeScalars.first, !("0"..."9").contains(first) else {
            return false
        }
        return !keywords.contains(name)
            && name.unicodeScalars.allSatisfy { scalar in
                switch scalar {
                case "a"..."z", "A"..."Z", "0"..."9", "_": true
                default: false
                }
            }
    }

    /// With a suffix these are names of JustPersist's own types: `DataStore`, `ItemBacking` and so on.
    private static let taken: Set = ["", "Item", "KeyValue", "Record", "Row"]

    private static let keywords: Set = [
        "Any", "Protocol", "Self", "Type", "_", "as", "associatedtype", "break", "case", "catch",
        "class", "continue", "default", "defer", "deinit", "do", "else", "enum", "extension",
        "fallthrough", "false", "fileprivate", "for", "func", "guard", "if", "import", "in", "init",
        "inout", "internal", "is", "let", "nil", "operator", "precedencegroup", "private",
        "protocol", "public", "repeat", "rethrows", "return", "self", "static", "struct",
        "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias", "var",
        "where", "while",
    ]
}
