import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// A property of an item class that leads to other items.
struct ItemRelationship {
    /// The relationship's name.
    let name: String
    /// The type of the others.
    let destination: TypeSyntax
    /// The type in which the property has the others.
    let form: Form
    /// The arguments of the schema after its destination.
    private let arguments: [String]
    /// The property as code refers to it, in backticks if it needs them.
    let identifier: String
    /// The access level of the property.
    let access: ItemAccess
    /// The property's name in the source.
    let syntax: Syntax

    enum Form {
        case one, toMany, array
    }

    /// The relationship that a member of the class declares; nil if the member is something else or invalid, which is
    /// reported in `diagnostics`.
    init?(_ member: some SyntaxProtocol, diagnostics: inout [Diagnostic]) {
        guard let variable = member.as(VariableDeclSyntax.self), !variable.isStatic,
            variable.attribute(named: "Transient") == nil,
            let binding = variable.bindings.first, !binding.isComputed
        else { return nil }
        guard Self.isDeclared(by: variable) else { return nil }
        let marker = variable.attribute(named: "Relationship")
        let type = binding.typeAnnotation?.type.trimmed
        guard let pattern = binding.pattern.as(IdentifierPatternSyntax.self),
            variable.bindings.count == 1
        else {
            diagnostics.append(ItemMessage.severalInOne.at(variable.bindings))
            return nil
        }
        identifier = pattern.identifier.text
        name = pattern.identifier.identifier?.name ?? identifier
        access = ItemAccess(of: variable.modifiers)
        syntax = Syntax(pattern)
        if let refusal = ItemProperty.refusal(of: variable, binding: binding, name: name) {
            diagnostics.append(refusal)
            return nil
        }
        if let attribute = variable.attribute(named: "Attribute") {
            diagnostics.append(ItemMessage.attributeOfRelationship(name).at(attribute))
            return nil
        }
        if let value = binding.initializer?.value, !value.is(NilLiteralExprSyntax.self),
            value.as(ArrayExprSyntax.self)?.elements.isEmpty != true
        {
            diagnostics.append(ItemMessage.initialOthers(name).at(value))
            return nil
        }
        if let element = type?.argument(of: "ToMany") {
            (destination, form) = (element, .toMany)
        } else if let wrapped = type?.wrapped, !wrapped.is(ArrayTypeSyntax.self),
            wrapped.argument(of: "ToMany") == nil, wrapped.argument(of: "Array") == nil
        {
            (destination, form) = (wrapped, .one)
        } else if let element = type?.as(ArrayTypeSyntax.self)?.element {
            (destination, form) = (element, .array)
        } else if let element = type?.argument(of: "Array") {
            (destination, form) = (element, .array)
        } else {
            diagnostics.append(ItemMessage.notARelationship(name).at(binding))
            return nil
        }
        var arguments = form == .one ? [] : ["isToMany: true"]
        if case .argumentList(let given) = marker?.arguments {
            for argument in given {
                if let text = Self.read(argument, name, form, &diagnostics) {
                    arguments.append(text)
                }
            }
        }
        self.arguments = arguments
    }

    /// Whether a property is a relationship, by its attribute or its type.
    static func isDeclared(by variable: VariableDeclSyntax) -> Bool {
        variable.attribute(named: "Relationship") != nil
            || variable.bindings.first?.typeAnnotation?.type.trimmed.argument(of: "ToMany") != nil
    }

    private static func read(
        _ argument: LabeledExprSyntax, _ name: String, _ form: Form,
        _ diagnostics: inout [Diagnostic]
    ) -> String? {
        // A copy without its surroundings has no line, at which an error could be reported.
        let (place, value) = (argument.expression, argument.expression.trimmed)
        switch argument.label?.text {
        case nil:
            let option = value.as(MemberAccessExprSyntax.self)?.declName.baseName.text
            guard option == "ordered", form != .one else {
                diagnostics.append(ItemMessage.unknownRelationshipOption.at(place))
                return nil
            }
            return "isOrdered: true"
        case "deleteRule": return "deleteRule: \(value)"
        case "minimumModelCount": return "minimum: \(value)"
        case "maximumModelCount": return "maximum: \(value)"
        case "originalName":
            if value.is(NilLiteralExprSyntax.self) { return nil }
            guard let name = value.literalString else {
                diagnostics.append(ItemMessage.notALiteral("originalName").at(place))
                return nil
            }
            return "formerNames: [\(StringLiteralExprSyntax(content: name))]"
        case "inverse":
            if value.is(NilLiteralExprSyntax.self) { return nil }
            // The name is taken from the source, because key paths have no names outside of Apple's platforms.
            guard let name = value.literalString ?? value.lastNameOfKeyPath else {
                diagnostics.append(ItemMessage.notAnInverse(name).at(place))
                return nil
            }
            return "inverse: \(StringLiteralExprSyntax(content: name))"
        default: return nil
        }
    }

    /// The declaration in the schema.
    ///
    /// The order of the arguments is that of the initializer.
    func schema(of className: String) -> String {
        let order = [
            "isToMany", "isOrdered", "deleteRule", "inverse", "minimum", "maximum", "formerNames",
        ]
        let sorted = order.compactMap { label in
            arguments.first { $0.hasPrefix(label + ":") }
        }
        let all =
            ["\(StringLiteralExprSyntax(content: name))", "to: \(destination).self"] + sorted
            + ["keyPath: \\\(className).\(identifier)"]
        return "JustPersist.RelationshipSchema(\(all.joined(separator: ", ")))"
    }

    /// The accessors of the property.
    var accessors: [AccessorDeclSyntax] {
        let literal = StringLiteralExprSyntax(content: name)
        return switch form {
        case .one:
            [
                "get { related(\(literal)) }",
                "set { setRelated(\(literal), to: newValue) }",
            ]
        case .toMany: ["get { related(toMany: \(literal)) }"]
        case .array:
            [
                "get { related(toMany: \(literal)).items }",
                "set { related(toMany: \(literal)).replace(with: newValue) }",
            ]
        }
    }
}

extension TypeSyntax {
    /// The argument of a generic type of that name, with or without a module before it.
    func argument(of name: String) -> TypeSyntax? {
        let generics =
            if let type = self.as(IdentifierTypeSyntax.self), type.name.text == name {
                type.genericArgumentClause
            } else if let type = self.as(MemberTypeSyntax.self), type.name.text == name {
                type.genericArgumentClause
            } else {
                GenericArgumentClauseSyntax?.none
            }
        guard case .type(let type) = generics?.arguments.first?.argument else { return nil }
        return type.trimmed
    }
}

extension ExprSyntax {
    /// The name of the last property in a key path.
    fileprivate var lastNameOfKeyPath: String? {
        guard let path = self.as(KeyPathExprSyntax.self),
            case .property(let property) = path.components.last?.component
        else { return nil }
        return property.declName.baseName.identifier?.name
    }
}
