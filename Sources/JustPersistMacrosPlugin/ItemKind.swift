import SwiftDiagnostics
import SwiftSyntax

/// The kind of declaration that `@Item` is attached to instead of a class.
enum ItemKind {
    case structure
    case enumeration
    case actor
    case other

    init(_ declaration: some DeclGroupSyntax) {
        switch declaration.kind {
        case .structDecl: self = .structure
        case .enumDecl: self = .enumeration
        case .actorDecl: self = .actor
        default: self = .other
        }
    }

    /// The advice for this kind.
    var advice: String {
        switch self {
        case .structure:
            "declare this as a final class; @Item gives it a struct named Values with copies of its attributes"
        case .enumeration:
            "an enum with a raw value, or a Codable one, can be the type of an attribute without @Item"
        case .actor:
            "declare this as a final class; its items belong to the block that fetched them"
        case .other: "attach it to the final class"
        }
    }

    /// The fix-its for a declaration of this kind.
    func fixIts(_ declaration: some DeclGroupSyntax) -> [FixIt] {
        guard self == .structure || self == .actor else { return [] }
        let keyword = declaration.introducer
        return [
            ItemFix.makeClass.replacing(
                keyword, with: keyword.with(\.tokenKind, .identifier("final class")))
        ]
    }
}
