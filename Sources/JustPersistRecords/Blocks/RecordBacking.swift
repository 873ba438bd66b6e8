import JustPersist

/// The values of an item of a store of records.
protocol RecordBacking: ItemBacking {
    var type: BlockType { get }
}
