/// An attribute of one type whose references are entries of a relationship to many of another type.
///
/// A book with `author` set to Ada is an entry of Ada's `books`; so is a link between the two, where many are related to
/// many. A store that reports changes notes a change of the item to which the attribute refers, in the relationship,
/// whenever an entry is added, removed or moved.
public struct RelationshipEntry: Sendable, Hashable {
    /// The attribute that refers to the item with the relationship.
    public let attribute: String
    /// The attribute with the place in the order of the relationship, if it has one.
    public let position: String?
    /// The key of the type with the relationship.
    public let owner: String
    /// The name of the relationship.
    public let relationship: String
}

extension RelationshipEntry {
    /// The entries of all relationships of a store, by the key of the type that has the attributes.
    ///
    /// - Parameter schemas: The types of the store that have relationships, as
    ///   ``DataStoreReadAccessor/schemasWithRelationships()`` returns them.
    public static func all(in schemas: [ItemSchema]) -> [String: [RelationshipEntry]] {
        var entries: [String: [RelationshipEntry]] = [:]
        for schema in schemas {
            for relationship in schema.relationships where relationship.isToMany {
                // Declarations that disagree are an error for a class only: see `isWhole`.
                guard
                    let relation = try? schemas.relation(relationship, of: schema, isWhole: false)
                else { continue }
                func add(_ attribute: String, _ position: String?, of type: String) {
                    entries[type, default: []].append(
                        RelationshipEntry(
                            attribute: attribute, position: position, owner: relation.owner,
                            relationship: relationship.name))
                }
                if let order = relation.order {
                    let names = order.names(isSource: true)
                    add(names.near, names.position, of: order.key)
                }
                switch relation.storage {
                case .reference: break
                case .inverse(let attribute): add(attribute, nil, of: relation.destination)
                case .links(let type, let isSource):
                    let names = type.names(isSource: isSource)
                    add(names.near, names.position, of: type.key)
                }
            }
        }
        return entries
    }
}
