/// What a store holds once certain blocks of a workload are in it.
public struct ModelState: Sendable, Equatable {
    /// By kind and key, the block that gave the item its values.
    public private(set) var blocks: [Workload.Kind: [Int: Int]] = [:]

    /// The state after the blocks, in ascending order.
    public init(of workload: Workload, after blocks: some Sequence<Int>) {
        for number in blocks.sorted() {
            for operation in workload.block(number) { apply(operation, of: number) }
        }
    }

    private mutating func apply(_ operation: Workload.Operation, of number: Int) {
        switch operation {
        case .create(let kind, let key): blocks[kind, default: [:]][key] = number
        case .update(let kind, let key):
            if blocks[kind]?[key] != nil { blocks[kind]?[key] = number }
        case .delete(let kind, let key): blocks[kind]?[key] = nil
        case .deleteAll(let kind): blocks[kind] = nil
        }
    }

    /// The keys of the items of a kind, in the order of their making.
    public func keys(_ kind: Workload.Kind) -> [Int] { (blocks[kind] ?? [:]).keys.sorted() }

    /// The block that gave an item its values; `nil` if there is no such item.
    public func block(_ kind: Workload.Kind, key: Int) -> Int? { blocks[kind]?[key] }
}
