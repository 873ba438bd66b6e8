/// The first bytes of the keys of a store, as `Checksum` of the tests names them.
enum StoredBytes {
    static let headerTag: UInt8 = 0
    static let catalogTag: UInt8 = 1
    static let counterTag: UInt8 = 2
    static let recordTag: UInt8 = 3
    static let indexTag: UInt8 = 4
    static let changeTag: UInt8 = 5
    static let linkTag: UInt8 = 6
    static let workTag: UInt8 = 7
}
