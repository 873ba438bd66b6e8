import JustPersist

/// The recorded defaults of a type with which new items begin, and their encoded fields.
///
/// Encoding each default, and then the value with which the program replaces it, would double the cost of making an
/// item: see ``EditableRecord/setDefault(_:_:)``.
final class RecordedDefaults {
    /// The defaults by attribute id; `nil` for kinds other than texts, numbers and truth values.
    let values: [DataStoreValue?]
    /// The tags and the payloads of their fields.
    let fields: [(tag: UInt8, payload: [UInt8])?]

    init(_ attributes: [CatalogAttribute], _ known: BlockCatalog) {
        values = attributes.map { attribute in
            switch attribute.recordedDefault {
            case .string, .int, .double, .bool: attribute.recordedDefault
            default: nil
            }
        }
        fields = values.map { value in
            guard let value else { return nil }
            var payload: [UInt8] = []
            let tag = payload.append(payloadOf: value, known)
            return (tag, payload)
        }
    }

    /// The default of an attribute, if it is of one of these kinds.
    @inline(__always)
    subscript(attribute: UInt16) -> DataStoreValue? {
        Int(attribute) < values.count ? values[Int(attribute)] : nil
    }
}
