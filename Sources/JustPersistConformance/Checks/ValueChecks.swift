import Foundation
import JustPersist

/// Checks that values are read as they were written.
enum ValueChecks {
    static let all =
        texts + numbers + times + bytes + collections + names + declared + renames + paths

    private static let texts: [CheckDefinition] = [
        CheckDefinition(
            "val/string", clause: [9, 10],
            "Strings are read byte for byte as they were written, and are found by ==."
        ) { check in
            try check.roundTrip(
                strings: [
                    "", " ", "  ", "a", "A", "a ", " a", "\n", "\r\n", "\t", "a\nb", "'\"\\;--",
                    "%@ %K %d", "*?", "null", "nil", "NULL", "true", "1", "1.0", "{}",
                    String(repeating: "x", count: 255), String(repeating: "x", count: 256),
                ])
            // Tested separately, so that not every string is compared with it.
            try check.roundTrip(
                strings: [
                    String(repeating: "0123456789abcdef", count: check.withinLimit(1 << 20) / 16),
                    "short",
                ])
        },
        CheckDefinition(
            "val/string-empty-is-not-nil", clause: [9, 11],
            "The empty string is a string, and is not equal to nil."
        ) { check in
            try check.roundTrip([[.string("")], [.null], [.string(" ")]])
        },
        CheckDefinition(
            "val/string-embedded-nul", clause: [9, 10], "NUL is an ordinary character."
        ) { check in
            try check.roundTrip(
                strings: ["a\0b", "a", "a\0", "a\0\0", "\0", "\0\0", "\0a", "a\0c", "ab", ""])
        },
    ]

    private static let numbers: [CheckDefinition] = [
        CheckDefinition(
            "val/int-extremes", clause: [9, 10],
            "Whole numbers keep all 64 bits, and compare with all of them."
        ) { check in
            let ints: [Int64] = [
                .min, .min + 1, -(1 << 53) - 1, -(1 << 53), -(1 << 32), -256, -1, 0, 1, 127, 128,
                255,
                256, 1 << 31, 1 << 32, (1 << 53) - 1, 1 << 53, (1 << 53) + 1, .max - 1, .max,
            ]
            try check.roundTrip(ints.map { [.int($0)] })
        },
        CheckDefinition(
            "val/uint64-above-int64", clause: [5, 9],
            "An invalid value is refused, with its attribute in the error, and changes nothing."
        ) { check in
            let items = try check.openValues()
            let id = try items.create(["value": .string("before")])
            struct NotStorable {}
            let refused: [(Any, String)] = [
                (UInt64(Int64.max) + 1, "a UInt64 above Int64.max"), (UInt64.max, "UInt64.max"),
                ([UInt64.max], "an array with UInt64.max"),
                (["key": UInt64.max], "a dictionary with UInt64.max"),
                (NotStorable(), "a value of type NotStorable"),
                ([NotStorable()], "an array with a value of type NotStorable"),
            ]
            try items.store.write { db in
                let item = try items.live(id, db)
                for (value, what) in refused {
                    let error = check.expectError(.unsupportedValue, what: "setting \(what)") {
                        try item.setStoredValue(value, forKeyPath: "value")
                    }
                    check.expectEqual(
                        error?.attribute, "value", "the attribute in the refusal of \(what)")
                    check.expectEqual(
                        error?.itemType, items.key, "the type in the refusal of \(what)")
                    check.expectIdentical(
                        try item.value("value"), .string("before"),
                        "the value after \(what) was refused")
                }
                try item.setStoredValue(UInt64(Int64.max), forKeyPath: "behind")
            }
            try items.expectValues(
                ["value": .string("before"), "behind": .int(.max)], of: id,
                "after values were refused, and UInt64(Int64.max) was set")
        },
        CheckDefinition(
            "val/double-extremes", clause: [9, 10],
            "Floating-point numbers keep all bits, and -0.0 its sign, though it equals 0.0."
        ) { check in
            let doubles: [Double] = [
                .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude,
                -.leastNonzeroMagnitude, .leastNormalMagnitude, .infinity, -.infinity, .pi, 0.1,
                1.0.nextUp, 1.0.nextDown, 1, -1, 0x1p53, 0x1p63, 1e300, .ulpOfOne,
            ]
            try check.roundTrip([[.double(0), .double(-0.0)]] + doubles.map { [.double($0)] })
        },
        CheckDefinition(
            "val/double-nan", clause: [9, 10], "NaN is read as NaN, and equals no value."
        ) { check in
            try check.roundTrip(
                [[.double(1)], [.null]],
                equalToNothing: [
                    .double(.nan), .double(-.nan), .double(Double(nan: 77, signaling: false)),
                ])
        },
        CheckDefinition(
            "val/bool-is-not-int", clause: [9, 10],
            "Truth values are read as truth values; they equal 1 and 0, and no other value."
        ) { check in
            try check.roundTrip([
                [.bool(true), .int(1), .double(1)], [.bool(false), .int(0), .double(0)], [.int(2)],
                [.string("true")], [.string("1")], [.null],
            ])
        },
        CheckDefinition(
            "val/int-is-not-double", clause: [9, 10],
            "1 and 1.0 are equal and keep their kinds; 2^53 + 1 is not its nearest Double."
        ) { check in
            try check.roundTrip([
                [.int(1), .double(1)], [.double(1.5)], [.int(0), .double(0), .double(-0.0)],
                [.int(1 << 53), .double(0x1p53)], [.int((1 << 53) + 1)], [.int(.max)],
                [.double(0x1p63)], [.int(.min), .double(-0x1p63)], [.string("1.0")],
            ])
        },
    ]

    private static let times: [CheckDefinition] = [
        CheckDefinition(
            "val/date-subsecond", clause: [9, 10],
            "A date keeps every bit of its seconds since the reference date."
        ) { check in
            var random = check.generator()
            let some = (0..<20).map { _ in Double.random(in: -1e9...1e9, using: &random) }
            let seconds = [
                0.1, 0.123_456_789, 1.0.nextUp, 700_000_000.000_000_1, 700_000_000.001,
                700_000_000.0.nextUp, 700_000_000, -0.000_000_1,
            ]
            try check.roundTrip(
                Set(seconds + some).sorted().map {
                    [.date(Date(timeIntervalSinceReferenceDate: $0))]
                } + [[.double(0.1)]])
        },
        CheckDefinition(
            "val/date-extremes", clause: [9, 10],
            "Dates far away, and around unusual days, are stored intact."
        ) { check in
            let seconds: [Double] = [
                // 29 February 2024; before and after the leap second of 2016; 1970; a day before it.
                730_857_600, 504_921_599, 504_921_600, -978_307_200, -978_393_600, -1,
                .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude,
            ]
            try check.roundTrip(
                [
                    [.date(.distantPast)], [.date(.distantFuture)],
                    [0, -0.0].map { .date(Date(timeIntervalSinceReferenceDate: $0)) },
                ] + seconds.map { [.date(Date(timeIntervalSinceReferenceDate: $0))] })
        },
    ]

    private static let bytes: [CheckDefinition] = [
        CheckDefinition(
            "val/data-all-bytes", clause: [9, 10],
            "Data, including empty data, is read byte for byte as it was written, and is found by ==."
        ) { check in
            let all = Data(UInt8.min...UInt8.max)
            let slices = [all.dropFirst(3), all.dropLast(), all[10..<12]]
            try check.roundTrip(
                [[.null], [.string("")]]
                    + ([Data(), Data([0]), Data([0, 0]), all] + slices).map { [.data($0)] })
            var large = Data(capacity: 1 << 20)
            for _ in 0..<check.withinLimit(1 << 20) / 256 { large.append(all) }
            // Tested separately, so that not every value is compared with it.
            try check.roundTrip([[.data(large)], [.data(all)]])
        },
        CheckDefinition(
            "val/uuid", clause: [9, 10, 12], gate: .requires(.valueKind(.uuid)),
            "UUIDs are read as they were written, equal no string, and sort by their bytes."
        ) { check in
            let ids = [
                ItemID(high: 0, low: 0), ItemID(high: 0, low: 1), ItemID(high: 0, low: 1 << 63),
                ItemID(high: 1, low: 0), ItemID(high: 0x7FFF_FFFF_FFFF_FFFF, low: .max),
                ItemID(high: 1 << 63, low: 0), ItemID(high: .max, low: .max),
            ]
            let values = ids.map { DataStoreValue.uuid($0.uuid) }
            let text = DataStoreValue.string(ids[1].uuid.uuidString)
            try check.roundTrip(values.map { [$0] } + [[text]])
            let items = try check.openValues()
            for value in [
                values[3], values[6], values[0], values[5], values[2], values[4], values[1],
            ] {
                try items.create(["value": value])
            }
            let sorted = try items.store.read { db in
                try db.dynamicItems(
                    DataStoreRequest(type: items.itemType, sortDescriptors: [.ascending("value")])
                ).map { try $0.value("value") }
            }
            check.expectIdentical(.array(sorted), .array(values), "UUIDs in ascending order")
        },
        CheckDefinition(
            "val/decimal", clause: [9, 10], gate: .requires(.valueKind(.decimal)),
            "Decimals keep 38 digits and their exponent, and compare by value."
        ) { check in
            let texts = [
                "99999999999999999999999999999999999999", "-99999999999999999999999999999999999999",
                "3.1415926535897932384626433832795028841", "0.1", "-0.1", "1e-100", "-1e-100",
                "1e100",
                "0.00000000000000000000000000000000000001", "9007199254740993", "12.34",
            ]
            let decimals = try texts.map {
                try check.require(Decimal(string: $0), "the decimal “\($0)”")
            }
            try check.roundTrip(
                decimals.map { [.decimal($0)] } + [
                    [.decimal(1), .int(1), .double(1)], [.decimal(0), .int(0)],
                    // The Double 0.1 is not exactly one tenth.
                    [.double(0.1)],
                ])
        },
        CheckDefinition(
            "val/url", clause: [9, 10], gate: .requires(.valueKind(.url)),
            "URLs are read as they were written, including percent-encoding."
        ) { check in
            let texts = [
                "http://a.b/c%20d?e=f#g", "http://a.b/%2f", "http://a.b/%2F", "http://a.b",
                "http://a.b/", "HTTP://A.B/", "http://a.b/../c", "http://a.b/?q=%C3%A9", "x", "./x",
                "file:///a%20b", "file:///a%20b/", "mailto:a@b.c", "urn:isbn:0",
            ]
            let urls = try texts.map { try check.require(URL(string: $0), "the URL “\($0)”") }
            let relative = try check.require(
                URL(string: "d%20e", relativeTo: urls[4]), "a relative URL")
            try check.roundTrip(urls.map { [.url($0)] } + [[.url(relative)], [.string(texts[0])]])
        },
    ]
}
