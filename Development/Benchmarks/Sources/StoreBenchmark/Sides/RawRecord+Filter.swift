extension RawRecord {
    /// The test of a filter, on the bytes.
    static func test(for filter: Filter) -> (RawRecord) -> Bool {
        switch filter {
        case .borough(let borough, let stars):
            let borough = Array(borough.utf8)
            return { $0.stars > stars && $0.borough.elementsEqual(borough) }
        case .boroughOr(let borough, let stars):
            let borough = Array(borough.utf8)
            return { $0.stars > stars || $0.borough.elementsEqual(borough) }
        case .cuisine(let cuisine):
            let cuisine = Array(cuisine.utf8)
            return { $0.cuisine.elementsEqual(cuisine) }
        case .zipcodes(let zipcodes):
            let zipcodes = zipcodes.map { Array($0.utf8) }
            return { record in
                let zipcode = record.zipcode
                return zipcodes.contains { zipcode.elementsEqual($0) }
            }
        case .rating(let range):
            return { range.contains($0.rating) }
        case .nameContains(let part):
            let part = Array(part.utf8)
            return { $0.name.containsLetters(part) }
        }
    }
}

extension Slice<UnsafeRawBufferPointer> {
    /// Whether these lower-case ASCII letters occur, in either case.
    fileprivate func containsLetters(_ letters: [UInt8]) -> Bool {
        guard count >= letters.count else { return false }
        return (startIndex...endIndex - letters.count).contains { start in
            letters.indices.allSatisfy { self[start + $0] | 0x20 == letters[$0] }
        }
    }
}
