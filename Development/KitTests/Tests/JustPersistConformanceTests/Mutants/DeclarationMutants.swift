import JustPersist

@testable import JustPersistConformance

/// Stores that forget a part of the declarations of attributes.
enum DeclarationMutants {
    static let all: [SabotagedType] = [
        ForgetsDefaults.self, TakesTheLatestDefault.self, ReplacesDefaults.self, KeepsNoNulls.self,
        ForgetsKinds.self,
        ForgetsFormerNames.self,
    ]
}

/// A store that changes the declarations that it is given.
class DeclarationMutant: SabotagedStore, @unchecked Sendable {
    override class func rules(_ memory: Memory) -> ReferenceRules {
        var rules = super.rules(memory)
        rules.declared = { schema in
            ItemSchema(
                schema.itemTypeKey, formerTypeKeys: schema.formerTypeKeys,
                attributes: schema.attributes.map(declared), indexes: schema.indexes)
        }
        return rules
    }

    class func declared(_ attribute: AttributeSchema) -> AttributeSchema { attribute }
}

/// Applies defaults only to the classes that declare them.
final class ForgetsDefaults: DeclarationMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["val/default-is-the-value"] }

    override class func declared(_ attribute: AttributeSchema) -> AttributeSchema {
        AttributeSchema(
            attribute.name, kinds: attribute.kinds, formerNames: attribute.formerNames,
            isUnique: attribute.isUnique, isIndexed: attribute.isIndexed,
            ignoresCase: attribute.ignoresCase)
    }
}

/// Applies the default that was declared last.
final class TakesTheLatestDefault: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["val/default-is-the-value"] }

    override class func rules(_ memory: Memory) -> ReferenceRules {
        var rules = super.rules(memory)
        rules.recordedDefault = { _, declared in declared.defaultValue }
        return rules
    }
}

/// Forgets the first default where one of other kinds is declared.
final class ReplacesDefaults: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["val/default-is-the-value"] }

    override class func rules(_ memory: Memory) -> ReferenceRules {
        var rules = super.rules(memory)
        rules.recordedDefault = { recorded, declared in
            declared.withDefault(recorded: recorded).defaultValue
        }
        return rules
    }
}

/// Writes no value where null was set.
final class KeepsNoNulls: RowMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["val/explicit-nil-is-kept"] }

    override class func kept(_ row: ReferenceRow, over old: ReferenceRow?) -> ReferenceRow {
        ReferenceRow(row.key, values: row.values.filter { !$0.value.isNull })
    }
}

/// Accepts any value for any attribute.
final class ForgetsKinds: DeclarationMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["val/declared-kinds-are-enforced"] }

    override class func declared(_ attribute: AttributeSchema) -> AttributeSchema {
        AttributeSchema(
            attribute.name, default: attribute.defaultValue, isOptional: attribute.isOptional,
            formerNames: attribute.formerNames)
    }
}

/// Makes a new attribute of one that was renamed.
final class ForgetsFormerNames: DeclarationMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["val/renames-are-remembered"] }

    override class func declared(_ attribute: AttributeSchema) -> AttributeSchema {
        AttributeSchema(
            attribute.name, kinds: attribute.kinds, default: attribute.defaultValue,
            isOptional: attribute.isOptional)
    }
}
