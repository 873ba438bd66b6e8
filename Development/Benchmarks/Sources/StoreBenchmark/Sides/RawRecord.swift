import Foundation

/// One flat buffer for one restaurant, in the layout of a program without a record layer: rating, opened, stars,
/// isOpen, the ends of five strings, the strings.
///
/// Reading an attribute costs a load, and comparing one costs no copy: the upper bound of the engine.
struct RawRecord {
    let bytes: UnsafeRawBufferPointer

    private static let starsOffset = 16
    private static let stringEnds = 26
    private static let strings = 36

    var rating: Double { bytes.loadUnaligned(fromByteOffset: 0, as: Double.self) }
    var stars: Int { bytes.loadUnaligned(fromByteOffset: Self.starsOffset, as: Int.self) }
    var name: Slice<UnsafeRawBufferPointer> { string(0) }
    var cuisine: Slice<UnsafeRawBufferPointer> { string(1) }
    var borough: Slice<UnsafeRawBufferPointer> { string(2) }
    var zipcode: Slice<UnsafeRawBufferPointer> { string(4) }
    var digest: Int { name.count &* 7 &+ stars }

    private func string(_ place: Int) -> Slice<UnsafeRawBufferPointer> {
        bytes[(place == 0 ? Self.strings : end(of: place - 1))..<end(of: place)]
    }

    private func end(of place: Int) -> Int {
        Int(bytes.loadUnaligned(fromByteOffset: Self.stringEnds + 2 * place, as: UInt16.self))
    }

    /// Writes a restaurant into a buffer that is large enough, and returns its bytes there.
    static func encode(
        _ restaurant: Restaurant, into buffer: UnsafeMutableRawBufferPointer
    ) -> UnsafeMutableRawBufferPointer {
        let opened = restaurant.opened.timeIntervalSinceReferenceDate
        buffer.storeBytes(of: restaurant.rating, toByteOffset: 0, as: Double.self)
        buffer.storeBytes(of: opened, toByteOffset: 8, as: Double.self)
        buffer.storeBytes(of: restaurant.stars, toByteOffset: starsOffset, as: Int.self)
        buffer.storeBytes(of: restaurant.isOpen ? 1 : 0, toByteOffset: 24, as: UInt16.self)
        var end = strings
        func append(_ string: String, _ place: Int) {
            UnsafeMutableRawBufferPointer(rebasing: buffer[end...]).copyBytes(from: string.utf8)
            end += string.utf8.count
            buffer.storeBytes(
                of: UInt16(end), toByteOffset: stringEnds + 2 * place, as: UInt16.self)
        }
        append(restaurant.name, 0)
        append(restaurant.cuisine, 1)
        append(restaurant.borough, 2)
        append(restaurant.street, 3)
        append(restaurant.zipcode, 4)
        return UnsafeMutableRawBufferPointer(rebasing: buffer[..<end])
    }

    /// Writes a copy of this record with other stars into a buffer that is large enough.
    func copy(
        stars: Int, into buffer: UnsafeMutableRawBufferPointer
    ) -> UnsafeMutableRawBufferPointer {
        buffer.copyMemory(from: bytes)
        buffer.storeBytes(of: stars, toByteOffset: Self.starsOffset, as: Int.self)
        return UnsafeMutableRawBufferPointer(rebasing: buffer[..<bytes.count])
    }

    /// The bytes of a restaurant in the flat layout.
    static func size(of restaurant: Restaurant) -> Int {
        let texts = [
            restaurant.name, restaurant.cuisine, restaurant.borough, restaurant.street,
            restaurant.zipcode,
        ]
        return texts.reduce(strings) { $0 + $1.utf8.count }
    }

    static func makeBuffer() -> UnsafeMutableRawBufferPointer {
        .allocate(byteCount: 4096, alignment: 8)
    }
}

/// The ten best rated of a scan, kept sorted.
struct BestRated {
    private var kept: [(rating: Double, digest: Int)] = []
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    mutating func offer(_ record: RawRecord) {
        let rating = record.rating
        if kept.count == limit, let last = kept.last, last.rating >= rating { return }
        if kept.count == limit { kept.removeLast() }
        let place = kept.firstIndex { $0.rating < rating } ?? kept.count
        kept.insert((rating, record.digest), at: place)
    }

    var digest: Int { kept.reduce(0) { $0 &* 31 &+ $1.digest } }
}
