import SwiftDiagnostics
import SwiftSyntax

/// A stored property of an item class, as an attribute.
struct ItemProperty {
    /// The attribute's name.
    let name: String
    /// The property as code refers to it, in backticks if it needs them.
    let identifier: String
    /// The declared type, without the optional.
    let type: TypeSyntax
    /// The type as it is declared.
    let declaredType: TypeSyntax
    let isOptional: Bool
    /// The value of new items, unless that is nil.
    let initialValue: ExprSyntax?
    let options: AttributeOptions
    /// The access level of the property and of its setter: `public private(set)`.
    let access: ItemAccess
    /// The property's name in the source.
    let syntax: Syntax

    /// The names of members that every item has.
    private static let reserved: Set = [
        "backing", "schema", "uniqueToken", "itemTypeKey", "setInitialValues",
    ]

    /// The attribute that a member of the class declares; nil if the member is something else or invalid, which is
    /// reported in `diagnostics`.
    init?(_ member: some SyntaxProtocol, diagnostics: inout [Diagnostic]) {
        guard let variable = member.as(VariableDeclSyntax.self), !variable.isStatic else {
            return nil
        }
        if variable.attribute(named: "Transient") != nil {
            diagnostics += Self.checkTransient(variable)
            return nil
        }
        guard variable.bindings.contains(where: { !$0.isComputed }) else { return nil }
        if ItemRelationship.isDeclared(by: variable) { return nil }
        guard let binding = variable.bindings.first, variable.bindings.count == 1,
            let pattern = binding.pattern.as(IdentifierPatternSyntax.self)
        else {
            diagnostics.append(ItemMessage.severalInOne.at(variable.bindings))
            return nil
        }
        identifier = pattern.identifier.text
        name = pattern.identifier.identifier?.name ?? identifier
        if let refusal = Self.refusal(of: variable, binding: binding, name: name) {
            diagnostics.append(refusal)
            return nil
        }
        let value = binding.initializer?.value.trimmed
        guard let declared = binding.typeAnnotation?.type ?? value?.literalType else {
            diagnostics.append(ItemMessage.noType(name).at(binding))
            return nil
        }
        if let refusal = declared.refusal(forProperty: name) {
            diagnostics.append(refusal)
            return nil
        }
        isOptional = declared.wrapped != nil
        type = (declared.wrapped ?? declared).trimmed
        declaredType = declared
        initialValue = value.flatMap { $0.is(NilLiteralExprSyntax.self) ? nil : $0 }
        if !isOptional, value == nil {
            diagnostics.append(ItemMessage.noDefault(name).at(binding))
            return nil
        }
        options = AttributeOptions(of: variable, diagnostics: &diagnostics)
        access = ItemAccess(of: variable.modifiers)
        syntax = Syntax(pattern)
    }

    /// Whether this is a relationship to one other item or an attribute, which only the compiler knows.
    var mayBeToOne: Bool { isOptional && initialValue == nil && type.mayBeItemClass }

    /// Whether this is a relationship to many other items or an attribute, which only the compiler knows.
    var mayBeToMany: Bool {
        guard !isOptional, initialValue?.as(ArrayExprSyntax.self)?.elements.isEmpty == true else {
            return false
        }
        return (type.as(ArrayTypeSyntax.self)?.element ?? type.argument(of: "Array"))?
            .mayBeItemClass ?? false
    }

    /// The reason why the declaration cannot be an attribute or a relationship, independent of its type.
    static func refusal(
        of variable: VariableDeclSyntax, binding: PatternBindingSyntax, name: String
    ) -> Diagnostic? {
        let specifier = variable.bindingSpecifier
        if specifier.tokenKind == .keyword(.let) {
            var fixes = [
                ItemFix.makeVariable.replacing(
                    specifier, with: specifier.with(\.tokenKind, .keyword(.var)))
            ]
            if binding.initializer != nil {
                fixes.append(
                    ItemFix.makeTransient.replacing(
                        variable, with: variable.addingAttribute("Transient")))
            }
            return ItemMessage.constant(name).at(specifier, fixIts: fixes)
        }
        let refused: [Keyword] = [.lazy, .weak, .unowned]
        for modifier in variable.modifiers {
            for keyword in refused where modifier.name.tokenKind == .keyword(keyword) {
                return ItemMessage.notStoredSimply(name, modifier: "\(keyword)").at(
                    modifier,
                    fixIts: [
                        ItemFix.makeTransient.replacing(
                            variable, with: variable.addingAttribute("Transient"))
                    ])
            }
        }
        if let isolation = variable.attribute(named: "MainActor") {
            return ItemMessage.isolated(name).at(isolation)
        }
        if let observers = binding.accessorBlock { return ItemMessage.observed(name).at(observers) }
        if reserved.contains(name) { return ItemMessage.reserved(name).at(binding.pattern) }
        if !name.isAttributeName { return ItemMessage.invalidName(name).at(binding.pattern) }
        return nil
    }

    private static func checkTransient(_ variable: VariableDeclSyntax) -> [Diagnostic] {
        variable.bindings.compactMap { binding in
            guard !binding.isComputed, binding.initializer == nil,
                let type = binding.typeAnnotation?.type, type.wrapped == nil,
                !type.is(ImplicitlyUnwrappedOptionalTypeSyntax.self)
            else { return nil }
            return ItemMessage.transientWithoutDefault(binding.pattern.trimmedDescription)
                .at(binding)
        }
    }
}
