import JustPersist

@testable import JustPersistConformance

/// Stores that do not report refusals correctly.
enum RefusalMutants {
    static let all: [SabotagedType] = [ReportsRefusalsItself.self, ReadsOtherKindsAsNull.self]
}

/// Reports a refused value to the handler, and not to the property that was set.
final class ReportsRefusalsItself: AccessorMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["tx/refused-change-fails-block"] }

    override class func changes(_ memory: Memory) -> AccessorChanges {
        var changes = super.changes(memory)
        changes.backing = { ReportingBacking($0) }
        return changes
    }
}

private final class ReportingBacking: WrappingBacking {
    override func setValue(_ value: DataStoreValue, at index: Int) throws(DataStoreError) {
        do throws(DataStoreError) {
            try super.setValue(value, at: index)
        } catch {
            report(error)
        }
    }

    override func setValue(
        _ value: DataStoreValue, forAttribute name: String
    ) throws(DataStoreError) {
        do throws(DataStoreError) {
            try super.setValue(value, forAttribute: name)
        } catch {
            report(error)
        }
    }
}

/// Returns null for a value that the class cannot read.
final class ReadsOtherKindsAsNull: AccessorMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["tx/unreadable-value-fails-block"] }

    override class func changes(_ memory: Memory) -> AccessorChanges {
        var changes = super.changes(memory)
        changes.backing = { ForgivingBacking($0) }
        return changes
    }
}

private final class ForgivingBacking: WrappingBacking {
    override func value(at index: Int) throws(DataStoreError) -> DataStoreValue {
        do throws(DataStoreError) {
            return try super.value(at: index)
        } catch {
            if error.code == .kindMismatch { return .null }
            throw error
        }
    }
}
