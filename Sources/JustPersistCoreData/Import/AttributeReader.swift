import Foundation
import JustPersist

/// Makes values of attributes of what their columns have.
struct AttributeReader {
    /// A reason to mention a value in the report.
    enum Oddity: Hashable {
        /// Its column has a value of another kind, which is kept as it is.
        case otherKind
        /// It has more digits than its column keeps.
        case rounded
        /// It is an archive with an object of a class that is unknown here, and is kept as bytes.
        case archived
        /// The file with its bytes does not exist, or has too many.
        case missingFile
    }

    /// The directory with the files of values.
    private let files: URL

    /// Values of a store.
    init(of store: URL) {
        files = store.deletingLastPathComponent().appending(
            path: ".\(store.deletingPathExtension().lastPathComponent)_SUPPORT/_EXTERNAL_DATA")
    }

    /// The value of an attribute.
    func value(
        of attribute: Model.Attribute, _ stored: SQLiteValue, _ oddity: inout Oddity?
    ) -> DataStoreValue {
        var stored = stored
        if attribute.isExternal, let blob = stored.blob {
            guard let bytes = content(blob, &oddity) else { return .null }
            stored = .blob(bytes)
        }
        if stored == .null { return .null }
        if let value = exact(attribute, stored) {
            if case .decimal = value, case .double(let number) = stored,
                "\(number)".filter(\.isNumber).count > 15
            {
                oddity = .rounded
            }
            return value
        }
        oddity = attribute.kind == .transformable ? .archived : .otherKind
        return switch stored {
        case .null: .null
        case .int(let value): .int(value)
        case .double(let value): .double(value)
        case .text(let value): .string(value)
        case .blob(let value): .data(value)
        }
    }

    private func exact(_ attribute: Model.Attribute, _ stored: SQLiteValue) -> DataStoreValue? {
        switch (attribute.kind, stored) {
        case (.int16, .int(let value)), (.int32, .int(let value)), (.int64, .int(let value)):
            return .int(value)
        case (.double, .double(let value)), (.float, .double(let value)): return .double(value)
        case (.double, .int(let value)), (.float, .int(let value)):
            return Double(exactly: value).map { .double($0) }
        case (.bool, .int(let value)): return value == 0 || value == 1 ? .bool(value == 1) : nil
        case (.date, .double(let value)): return .date(Date(timeIntervalSinceReferenceDate: value))
        case (.date, .int(let value)):
            return Double(exactly: value).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
        case (.string, .text(let value)): return .string(value)
        case (.data, .blob(let value)): return .data(value)
        case (.uuid, .blob(let value)): return UUID(bytes: value).map { .uuid($0) }
        case (.uuid, .text(let value)): return UUID(wholeText: value).map { .uuid($0) }
        case (.url, .text(let value)), (.objectID, .text(let value)):
            return URL(wholeText: value).map { .url($0) }
        case (.decimal, .int(let value)): return .decimal(Decimal(value))
        case (.decimal, .double(let value)):
            return value.isFinite ? Decimal(exactText: "\(value)").map { .decimal($0) } : nil
        case (.decimal, .text(let value)): return Decimal(wholeText: value).map { .decimal($0) }
        case (.transformable, .blob(let value)):
            let name = attribute.transformer ?? "NSSecureUnarchiveFromData"
            return name.contains("UnarchiveFromData") ? DataStoreValue(archived: Array(value)) : nil
        default: return nil
        }
    }

    /// The bytes of a value that may be in a file of its own.
    ///
    /// The first byte says where they are: 1, in the column; 2, in a file whose name, a UUID, follows.
    private func content(_ blob: Data, _ oddity: inout Oddity?) -> Data? {
        switch blob.first {
        case 1: return Data(blob.dropFirst())
        case 2:
            let name = String(decoding: blob.dropFirst().prefix { $0 != 0 }, as: UTF8.self)
            // Nothing else becomes a part of a path.
            guard let uuid = UUID(uuidString: name), uuid.uuidString == name else { break }
            let file = files.appending(path: name)
            let attributes = try? FileManager.default.attributesOfItem(
                atPath: file.path(percentEncoded: false))
            // Not one to which a link leads, which may be any file of the system.
            guard attributes?[.type] as? FileAttributeType == .typeRegular,
                let bytes = try? Data(
                    contentsOf: file, atMost: DataStoreLimits.contract.valueBytes)
            else {
                oddity = .missingFile
                return nil
            }
            return bytes
        default: break
        }
        oddity = .otherKind
        return blob
    }
}
