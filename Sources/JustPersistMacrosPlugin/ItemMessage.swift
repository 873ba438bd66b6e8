import SwiftDiagnostics
import SwiftSyntax

/// The diagnostics of the macros, with advice.
enum ItemMessage: DiagnosticMessage {
    // The class
    case notAClass(ItemKind)
    case isolated(String)
    case notFinal(String)
    case generic(String)
    case local(String)
    case invalidTypeKey
    case invalidFormerTypeKey
    case presentTypeKey(String)
    case formerTypeKeyTwice(String)
    case ownInit
    case conditional

    // Properties
    case constant(String)
    case severalInOne
    case notStoredSimply(String, modifier: String)
    case observed(String)
    case noType(String)
    case noDefault(String)
    case transientWithoutDefault(String)
    case unstorable(String, type: String, is: String)
    case nestedOptional(String)
    case implicitlyUnwrapped(String)
    case reserved(String)
    case hiddenType(String, String)
    case invalidName(String)

    // Attributes and indexes
    case attributeOnNothing(macro: String)
    case outsideItem(macro: String)
    case notALiteral(String)
    case unknownOption
    case ignoringCaseAlone
    case notTrueOrFalse(String)
    case notARelationship(String)
    case unknownRelationshipOption
    case notAnInverse(String)
    case attributeOfRelationship(String)
    case initialOthers(String)
    case declaredTwice(String)
    case nameClash(String, with: String)
    case notAKeyPath(macro: String)
    case otherType(macro: String, type: String)
    case notAnAttribute(macro: String, String)

    var severity: DiagnosticSeverity { .error }

    var diagnosticID: MessageID {
        MessageID(domain: "JustPersistMacros", id: String("\(self)".prefix { $0 != "(" }))
    }

    var message: String {
        switch self {
        case .notAClass(let kind):
            "@Item makes items of final classes only: \(kind.advice)"
        case .isolated(let name):
            "'\(name)' cannot belong to the main actor, as items belong to the block that fetched them; "
                + "remove @MainActor"
        case .notFinal(let name):
            "item class '\(name)' must be final, as an item's attributes are those of one class"
        case .generic(let name):
            "item class '\(name)' cannot be generic or inside a generic type: a stored type has one name"
        case .local(let name):
            "item class '\(name)' cannot be inside a function; declare it at file level or in a type"
        case .invalidTypeKey:
            "the type's name must be a string literal of 1 to 255 bytes"
        case .invalidFormerTypeKey:
            "originalName must be a string literal of 1 to 255 bytes"
        case .presentTypeKey(let key):
            "'\(key)' is the type's present name; originalName is for the names that it had before"
        case .formerTypeKeyTwice(let key):
            "the original name '\(key)' is given twice; remove one"
        case .ownInit:
            "an init of an item class must be a convenience init that begins with self.init()"
        case .conditional:
            "a stored property of an item class cannot be inside #if; move it out"
        case .constant(let name):
            "'\(name)' cannot be a constant, as its value is in the store; make it a var or @Transient"
        case .severalInOne:
            "declare one attribute per line, each with its own var"
        case .notStoredSimply(let name, "lazy"):
            "'\(name)' cannot be lazy, as its value is in the store; mark it @Transient"
        case .notStoredSimply(let name, let modifier):
            "'\(name)' cannot be \(modifier), as its value is in the store; "
                + "refer to another item with an ItemReference?, or mark it @Transient"
        case .observed(let name):
            "'\(name)' cannot have willSet or didSet, as its value is in the store; "
                + "observe the store's changes, or mark it @Transient"
        case .noType(let name):
            "add a type to '\(name)': only a number, string or Bool literal says what it is"
        case .noDefault(let name):
            "'\(name)' needs a default value, or an optional type: a stored item may have no value for it"
        case .transientWithoutDefault(let name):
            "@Transient '\(name)' needs a default value: it is not stored with the item"
        case .unstorable(let name, let type, let reason):
            "'\(name)' cannot be stored: '\(type)' is \(reason); "
                + "use a Codable struct or enum, or mark it @Transient"
        case .nestedOptional(let name):
            "'\(name)' cannot be an optional of an optional: a store knows one kind of nil"
        case .implicitlyUnwrapped(let name):
            "'\(name)' cannot be implicitly unwrapped, as a stored item may have no value for it; "
                + "make it optional, or give it a default value"
        case .reserved(let name):
            "'\(name)' is a member that every item has; choose another name"
        case .hiddenType(let name, let type):
            "'\(name)' cannot have the type '\(type)', whose name is that of the struct that @Item makes; "
                + "write the name of its module before it, or use a typealias"
        case .invalidName(let name):
            "'\(name)' cannot be an attribute's name, which has 1 to 255 bytes and no dot"
        case .attributeOnNothing(let macro):
            "@\(macro) belongs on a stored property of an @Item class"
        case .outsideItem(let macro):
            "\(macro) does nothing outside the body of an @Item class"
        case .notALiteral(let label):
            "\(label) must be a string literal without interpolation"
        case .unknownOption:
            "write the options out: .unique, .indexed, .ignoringCase"
        case .ignoringCaseAlone:
            ".ignoringCase says how an index compares; add .indexed or .unique"
        case .notTrueOrFalse(let label):
            "\(label) must be written out as true or false"
        case .notARelationship(let name):
            "the relationship '\(name)' needs the type of an item class: an optional for one other item, "
                + "ToMany<…> or an array for many"
        case .unknownRelationshipOption:
            "the only option is .ordered, of a relationship to many"
        case .notAnInverse(let name):
            "the inverse of '\(name)' is written out: a key path such as \\Book.author, or the name in a string literal"
        case .attributeOfRelationship(let name):
            "'\(name)' is a relationship, which has an index and no options of @Attribute; remove one of both"
        case .initialOthers(let name):
            "the relationship '\(name)' begins with no other item; remove the value, and relate items in a write block"
        case .declaredTwice(let name):
            "the property '\(name)' is declared twice; remove one"
        case .nameClash(let name, let other):
            "'\(name)' and '\(other)' are kept under one name; each attribute needs its own"
        case .notAKeyPath(let macro):
            "#\(macro) takes arrays of key paths to attributes of this class, such as [\\.name]"
        case .otherType(let macro, let type):
            "#\(macro) is written in the body of the class it is about, not of '\(type)'"
        case .notAnAttribute(let macro, let name):
            "#\(macro) is over attributes of this class, and '\(name)' is none"
        }
    }

    /// The message as it appears at a place in the code.
    func at(_ node: some SyntaxProtocol, fixIts: [FixIt] = []) -> Diagnostic {
        Diagnostic(node: node, message: self, fixIts: fixIts)
    }
}

/// The effect of a fix-it.
enum ItemFix: String, FixItMessage {
    case makeFinal = "add 'final'"
    case makeVariable = "make it a 'var'"
    case makeTransient = "add '@Transient'"
    case makeConvenience = "add 'convenience'"
    case makeOptional = "make it optional"
    case makeClass = "make it a final class"

    var message: String { rawValue }
    var fixItID: MessageID { MessageID(domain: "JustPersistMacros", id: "\(self)") }

    /// A fix-it that replaces one piece of syntax with another.
    func replacing(_ node: some SyntaxProtocol, with newNode: some SyntaxProtocol) -> FixIt {
        FixIt(
            message: self,
            changes: [.replace(oldNode: Syntax(node), newNode: Syntax(newNode))])
    }
}
