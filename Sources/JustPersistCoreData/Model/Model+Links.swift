extension Model {
    /// The types to which a relationship can lead.
    func targets(of relationship: Relationship) -> [String] {
        concrete(under: relationship.destination)
    }

    /// The name of the part of a relationship that leads to one type.
    func name(of relationship: Relationship, to target: String) -> String {
        targets(of: relationship).count == 1 || target == relationship.destination
            ? relationship.name : "\(relationship.name)_\(target)"
    }

    /// The other side of a relationship, and the entity that declares it, if each names the other.
    func inverse(of relationship: Relationship) -> (owner: String, relationship: Relationship)? {
        guard let name = relationship.inverse,
            let found = self.relationship(name, of: relationship.destination),
            found.1.inverse == relationship.name, !found.1.isTransient
        else { return nil }
        return found
    }

    /// The name of the relationship with which a target leads back to a type.
    func inverseName(of relationship: Relationship, leadingBackTo kind: String) -> String? {
        guard let back = inverse(of: relationship), targets(of: back.relationship).contains(kind)
        else {
            return nil
        }
        return name(of: back.relationship, to: kind)
    }
}
