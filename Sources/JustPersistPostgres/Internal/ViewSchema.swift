import Foundation
import JustPersist
import JustPersistRecords

/// The statements that make views over the records of a store, for programs that speak SQL.
struct ViewSchema {
    private let names: Names
    private(set) var views: [String] = []
    /// The statements, which belong in one transaction.
    private(set) var statements: [String]
    private var taken: Set<String> = []

    /// The most columns of a view, below PostgreSQL's limit.
    private static let mostColumns = 1_500

    init(_ names: Names) {
        self.names = names
        statements = [
            "DROP SCHEMA IF EXISTS \(names.quotedViews) CASCADE",
            "CREATE SCHEMA \(names.quotedViews)",
            "REVOKE ALL ON SCHEMA \(names.quotedViews) FROM PUBLIC",
            "COMMENT ON SCHEMA \(names.quotedViews) IS '\(Self.comment)'",
        ]
        statements += Self.functions(in: names.quotedViews)
    }

    /// The comment by which a schema of views is recognized.
    static let comment = "Views over a store of JustPersist"

    /// Adds the view of a type.
    mutating func add(_ type: StoredRecords.StoredType, _ fields: [StoredRecords.StoredField]) {
        var columns: Set<String> = []
        var selected = [
            "encode(substring(k FROM 6), 'hex')::uuid AS \(Self.identifier("_id", &columns))"
        ]
        for field in fields.prefix(Self.mostColumns) {
            var bytes = "\(names.quotedViews).field(v, \(field.number))"
            if let absent = field.absent {
                bytes = "coalesce(\(bytes), '\\x\(Self.hex(absent))'::bytea)"
            }
            selected.append(
                "\(names.quotedViews).\(Self.function(of: field.kinds))(\(bytes)) AS \(Self.identifier(field.name, &columns))"
            )
        }
        selected.append("v AS \(Self.identifier("_record", &columns))")
        let view = Self.identifier(type.key, &taken)
        views.append("\(names.quotedViews).\(view)")
        statements.append(
            """
            CREATE VIEW \(names.quotedViews).\(view) AS SELECT \
            \(selected.joined(separator: ", ")) \
            FROM \(names.entries) WHERE k >= '\\x\(Self.key(type.number))' AND k < '\\x\(Self.key(type.number + 1))'
            """)
    }

    /// The first bytes of the keys of a type's records, as the article *The file format* describes them.
    private static func key(_ type: UInt32) -> String { "03" + String(format: "%08x", type) }

    private static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { String(format: "%02x", $0) }.joined()
    }

    /// The function for the values of an attribute: by the kind that its declaration allows.
    private static func function(of kinds: Set<DataStoreValue.Kind>) -> String {
        guard kinds.count == 1, let kind = kinds.first else { return "as_text" }
        return switch kind {
        case .int: "as_int8"
        case .double: "as_float8"
        case .bool: "as_bool"
        case .decimal: "as_numeric"
        case .date: "as_timestamptz"
        case .uuid, .reference: "as_uuid"
        case .data: "as_bytea"
        default: "as_text"
        }
    }

    /// A name in quotation marks that no other one equals, within PostgreSQL's limit of 63 bytes.
    private static func identifier(_ name: String, _ taken: inout Set<String>) -> String {
        var (short, number) = ("", 1)
        for character in name where character != "\0" {
            guard short.utf8.count + character.utf8.count <= 56 else { break }
            short.append(character)
        }
        var unique = short.isEmpty ? "_" : short
        while !taken.insert(unique).inserted {
            number += 1
            unique = "\(short)_\(number)"
        }
        return "\"\(unique.replacing("\"", with: "\"\""))\""
    }
}

extension ViewSchema {
    /// The functions that decode records, which the article *The file format* describes.
    ///
    /// A field is a byte for its tag, and its payload.
    private static func functions(in views: String) -> [String] {
        [
            """
            CREATE FUNCTION \(views).field(record bytea, number int) RETURNS bytea LANGUAGE plpgsql IMMUTABLE STRICT AS $$
            DECLARE
                count int := get_byte(record, 10) + get_byte(record, 11) * 256;
                width int := CASE WHEN get_byte(record, 9) % 2 = 1 THEN 8 ELSE 4 END;
                payloads int := 12 + count * width;
                place int := 12; first int := 0; after int; attribute int; tag int;
            BEGIN
                IF get_byte(record, 8) <> 1 THEN RETURN NULL; END IF;
                FOR entry IN 1..count LOOP
                    IF width = 8 THEN
                        attribute := get_byte(record, place) + get_byte(record, place + 1) * 256;
                        tag := get_byte(record, place + 2);
                        after := get_byte(record, place + 4) + get_byte(record, place + 5) * 256
                            + get_byte(record, place + 6) * 65536 + get_byte(record, place + 7) * 16777216;
                    ELSE
                        attribute := get_byte(record, place) + (get_byte(record, place + 1) % 16) * 256;
                        tag := get_byte(record, place + 1) / 16;
                        after := get_byte(record, place + 2) + get_byte(record, place + 3) * 256;
                    END IF;
                    IF attribute = number THEN
                        RETURN set_byte('\\x00'::bytea, 0, tag)
                            || substring(record FROM payloads + first + 1 FOR after - first);
                    END IF;
                    first := after;
                    place := place + width;
                END LOOP;
                RETURN NULL;
            END $$
            """,
            """
            CREATE FUNCTION \(views).bits(field bytea) RETURNS int8 LANGUAGE sql IMMUTABLE STRICT AS $$
                SELECT bit_or(get_byte(field, n)::int8 << (8 * n - 8)) FROM generate_series(1, 8) AS n
            $$
            """,
            """
            CREATE FUNCTION \(views).number(field bytea) RETURNS float8 LANGUAGE plpgsql IMMUTABLE STRICT AS $$
            DECLARE
                bits int8 := \(views).bits(field);
                exponent int := ((bits >> 52) & 2047)::int;
                fraction float8 := (bits & 4503599627370495)::float8;
                sign float8 := CASE WHEN bits < 0 THEN -1 ELSE 1 END;
            BEGIN
                IF exponent = 2047 THEN
                    RETURN CASE WHEN fraction = 0 THEN sign * 'Infinity'::float8 ELSE 'NaN' END;
                END IF;
                IF exponent = 0 THEN RETURN sign * fraction * power(2::float8, -1074); END IF;
                RETURN sign * (fraction + 4503599627370496) * power(2::float8, exponent - 1075);
            END $$
            """,
            """
            CREATE FUNCTION \(views).as_numeric(field bytea) RETURNS numeric LANGUAGE sql IMMUTABLE STRICT AS $$
                SELECT CASE get_byte(field, 0)
                    WHEN 3 THEN \(views).bits(field)::numeric
                    WHEN 4 THEN \(views).number(field)::numeric
                    WHEN 10 THEN CASE get_byte(field, 5) WHEN 2 THEN 'NaN'::numeric ELSE
                        ((CASE get_byte(field, 5) WHEN 1 THEN '-' ELSE '' END)
                        || convert_from(substring(field FROM 7), 'UTF8') || 'e'
                        || (\(views).bits(substring(field FOR 5) || '\\x00000000'::bytea) << 32 >> 32)::text)::numeric END
                END
            $$
            """,
            """
            CREATE FUNCTION \(views).as_float8(field bytea) RETURNS float8 LANGUAGE sql IMMUTABLE STRICT AS $$
                SELECT CASE get_byte(field, 0) WHEN 4 THEN \(views).number(field) ELSE \(views).as_numeric(field)::float8 END
            $$
            """,
            """
            CREATE FUNCTION \(views).as_int8(field bytea) RETURNS int8 LANGUAGE sql IMMUTABLE STRICT AS $$
                SELECT CASE get_byte(field, 0) WHEN 3 THEN \(views).bits(field) END
            $$
            """,
            """
            CREATE FUNCTION \(views).as_bool(field bytea) RETURNS bool LANGUAGE sql IMMUTABLE STRICT AS $$
                SELECT CASE get_byte(field, 0) WHEN 1 THEN false WHEN 2 THEN true END
            $$
            """,
            """
            CREATE FUNCTION \(views).as_timestamptz(field bytea) RETURNS timestamptz LANGUAGE sql STABLE STRICT AS $$
                SELECT CASE WHEN get_byte(field, 0) = 7 AND \(views).number(field) BETWEEN -2.0e11 AND 9.0e12
                    THEN '2001-01-01 00:00:00+00'::timestamptz + make_interval(secs => \(views).number(field)) END
            $$
            """,
            """
            CREATE FUNCTION \(views).as_uuid(field bytea) RETURNS uuid LANGUAGE sql IMMUTABLE STRICT AS $$
                SELECT CASE get_byte(field, 0)
                    WHEN 9 THEN encode(substring(field FROM 2), 'hex')::uuid
                    WHEN 12 THEN encode(substring(field FROM 6), 'hex')::uuid
                END
            $$
            """,
            """
            CREATE FUNCTION \(views).as_bytea(field bytea) RETURNS bytea LANGUAGE sql IMMUTABLE STRICT AS $$
                SELECT CASE get_byte(field, 0) WHEN 8 THEN substring(field FROM 2) END
            $$
            """,
            """
            CREATE FUNCTION \(views).as_text(field bytea) RETURNS text LANGUAGE sql STABLE STRICT AS $$
                SELECT CASE
                    WHEN get_byte(field, 0) = 0 THEN NULL
                    WHEN get_byte(field, 0) IN (1, 2) THEN \(views).as_bool(field)::text
                    WHEN get_byte(field, 0) = 3 THEN \(views).bits(field)::text
                    WHEN get_byte(field, 0) = 4 THEN \(views).number(field)::text
                    WHEN get_byte(field, 0) = 7 THEN \(views).as_timestamptz(field)::text
                    WHEN get_byte(field, 0) IN (9, 12) THEN \(views).as_uuid(field)::text
                    WHEN get_byte(field, 0) = 10 THEN \(views).as_numeric(field)::text
                    WHEN get_byte(field, 0) IN (5, 6, 11) AND position('\\x00'::bytea IN substring(field FROM 2)) = 0
                        THEN convert_from(substring(field FROM 2), 'UTF8')
                    WHEN get_byte(field, 0) IN (5, 6, 11) THEN encode(substring(field FROM 2), 'escape')
                    ELSE substring(field FROM 2)::text
                END
            $$
            """,
        ]
    }
}
