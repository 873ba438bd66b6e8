public import Foundation

/// The original library's names for the slice, with Objective-C's numbers.
extension DataStoreRequest {
    /// The ``limit`` as a number.
    public var limitNumber: NSNumber? {
        get { limit.map { NSNumber(value: $0) } }
        set { limit = newValue?.intValue }
    }

    /// The ``offset`` as a number.
    public var offsetNumber: NSNumber? {
        get { offset.map { NSNumber(value: $0) } }
        set { offset = newValue?.intValue }
    }
}
