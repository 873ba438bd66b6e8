import SwiftSyntax

/// The access level of a declaration, and of its setter.
struct ItemAccess {
    /// The levels, from the widest to the narrowest.
    enum Level: String, Comparable {
        case `public`, package, `internal`, `fileprivate`, `private`

        static func < (lhs: Level, rhs: Level) -> Bool { lhs.order < rhs.order }

        private var order: Int {
            switch self {
            case .public: 0
            case .package: 1
            case .internal: 2
            case .fileprivate: 3
            case .private: 4
            }
        }
    }

    let level: Level
    /// The modifiers as they are written, with a space after each.
    let modifiers: String

    init(of modifiers: DeclModifierListSyntax) {
        var level = Level.internal
        var text = ""
        for modifier in modifiers {
            guard let found = Level(rawValue: modifier.name.text) else { continue }
            // A modifier with a detail applies to the setter.
            if modifier.detail == nil { level = found }
            text += modifier.trimmedDescription + " "
        }
        self.level = level
        self.modifiers = text
    }
}
