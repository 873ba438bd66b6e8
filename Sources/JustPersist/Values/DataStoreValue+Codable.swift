import Foundation

/// Written as one field named after the kind: `{"int": 5}`, `{"array": [{"null": null}]}`.
///
/// Every value is restored bit for bit by any coder, with any strategies for dates, data and floats: doubles and dates
/// are written as text, data as base64.
extension DataStoreValue: Codable {
    private enum CodingKeys: String, CodingKey {
        case null, bool, int, double, string, date, data, uuid, decimal, url, reference, array
        case dictionary
    }

    /// Reads what ``encode(to:)`` writes; throws `DecodingError` for anything else.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        guard let kind = container.allKeys.first, container.allKeys.count == 1 else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath,
                    debugDescription: "A value has one field, named after its kind"))
        }
        func text<Value>(_ parse: (String) -> Value?) throws -> Value {
            let text = try container.decode(String.self, forKey: kind)
            if let value = parse(text) { return value }
            throw DecodingError.dataCorruptedError(
                forKey: kind, in: container,
                debugDescription: "“\(text)” is not the text of a \(kind.rawValue)")
        }
        switch kind {
        case .null: self = .null
        case .bool: self = .bool(try container.decode(Bool.self, forKey: kind))
        case .int: self = .int(try container.decode(Int64.self, forKey: kind))
        case .double: self = .double(try text(Double.init(exactText:)))
        case .string: self = .string(try container.decode(String.self, forKey: kind))
        case .date:
            self = .date(Date(timeIntervalSinceReferenceDate: try text(Double.init(exactText:))))
        case .data: self = .data(try text { Data(base64Encoded: $0) })
        case .uuid: self = .uuid(try text(UUID.init(uuidString:)))
        case .decimal: self = .decimal(try text(Decimal.init(exactText:)))
        case .url:
            let texts = try container.decode([String].self, forKey: kind)
            guard let url = URL(exactTexts: texts) else {
                throw DecodingError.dataCorruptedError(
                    forKey: kind, in: container, debugDescription: "\(texts) is not a URL")
            }
            self = .url(url)
        case .reference:
            self = .reference(try container.decode(ItemReference.self, forKey: kind))
        case .array: self = .array(try container.decode([DataStoreValue].self, forKey: kind))
        case .dictionary:
            self = .dictionary(try container.decode([String: DataStoreValue].self, forKey: kind))
        }
    }

    /// Writes one field named after the kind.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .null: try container.encodeNil(forKey: .null)
        case .bool(let value): try container.encode(value, forKey: .bool)
        case .int(let value): try container.encode(value, forKey: .int)
        case .double(let value): try container.encode(value.exactText, forKey: .double)
        case .string(let value): try container.encode(value, forKey: .string)
        case .date(let value):
            try container.encode(value.timeIntervalSinceReferenceDate.exactText, forKey: .date)
        case .data(let value): try container.encode(value.base64EncodedString(), forKey: .data)
        case .uuid(let value): try container.encode(value.uuidString, forKey: .uuid)
        case .decimal(let value): try container.encode(value.description, forKey: .decimal)
        case .url(let value): try container.encode(value.exactTexts, forKey: .url)
        case .reference(let value): try container.encode(value, forKey: .reference)
        case .array(let values): try container.encode(values, forKey: .array)
        case .dictionary(let values): try container.encode(values, forKey: .dictionary)
        }
    }
}

extension Decimal {
    /// The number of a text with all its digits, as its description writes it; `nil` for any other text.
    package init?(exactText text: String) {
        if text == "NaN" {
            self = .nan
            return
        }
        // Foundation would parse a number at the start of a text and ignore the rest.
        guard text.utf8.allSatisfy({ "+-.0123456789eE".utf8.contains($0) }), Double(text) != nil,
            let value = Decimal(string: text)
        else { return nil }
        self = value
    }
}

extension URL {
    /// The URL as it was written, followed by its base URL if it is relative to one.
    package var exactTexts: [String] {
        [relativeString] + (baseURL.map { [$0.absoluteString] } ?? [])
    }

    /// The URL with these ``exactTexts``.
    package init?(exactTexts texts: [String]) {
        guard let first = texts.first, texts.count <= 2 else { return nil }
        if texts.count == 2 {
            guard let base = URL(string: texts[1]) else { return nil }
            self.init(string: first, relativeTo: base)
        } else {
            self.init(string: first)
        }
    }
}
