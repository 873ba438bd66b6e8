import Foundation
import JustPersistCoreData
import Testing

/// The item classes for a model of Core Data compile, without a warning.
///
/// `JP_MODELS` names models, separated by commas, for which that is tried, too.
@Suite struct GeneratedClassesTests {
    private let model = """
        <model>
        <entity name="Thing" isAbstract="YES" elementID="Object">
        <attribute name="name" attributeType="String" defaultValueString="say &quot;hi&quot;"/>
        <attribute name="title" optional="YES" attributeType="String" elementID="label"/>
        <relationship name="owner" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Person" inverseName="things"/>
        <uniquenessConstraints><uniquenessConstraint><constraint value="name"/></uniquenessConstraint></uniquenessConstraints>
        </entity>
        <entity name="Car" parentEntity="Thing"><attribute name="speed" attributeType="Float"/>
        <fetchIndex name="a"><fetchIndexElement property="name"/><fetchIndexElement property="speed"/></fetchIndex></entity>
        <entity name="Data" parentEntity="Thing"><attribute name="backing" optional="YES" attributeType="Binary"/></entity>
        <entity name="Person">
        <attribute name="class" attributeType="Integer 16" defaultValueString="3"/><attribute name="age" optional="YES" attributeType="Integer 64"/>
        <attribute name="born" attributeType="Date" defaultDateTimeInterval="12.5"/><attribute name="key" attributeType="UUID"/>
        <attribute name="money" attributeType="Decimal" defaultValueString="1.5"/><attribute name="isOn" attributeType="Boolean" defaultValueString="YES"/>
        <attribute name="site" optional="YES" attributeType="URI"/><attribute name="more" optional="YES" attributeType="Transformable"/>
        <attribute name="own" optional="YES" attributeType="Transformable" valueTransformerName="Own"/><attribute name="cache" optional="YES" transient="YES"/>
        <attribute name="sum" optional="YES" transient="YES" attributeType="Double"/>
        <relationship name="things" toMany="YES" ordered="YES" deletionRule="Cascade" destinationEntity="Thing" inverseName="owner"/>
        <relationship name="friends" optional="YES" toMany="YES" maxCount="9" deletionRule="Deny" destinationEntity="Person" inverseName="friends"/>
        <relationship name="mother" optional="YES" maxCount="1" destinationEntity="Person" inverseName="children"/>
        <relationship name="children" optional="YES" toMany="YES" destinationEntity="Person" inverseName="mother"/>
        <relationship name="favorite" maxCount="1" deletionRule="No Action" destinationEntity="Car"/>
        </entity></model>
        """

    @Test func theyCompile() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "models-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let place = folder.appending(path: "Model.xcdatamodel")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        try Data(model.utf8).write(to: place.appending(path: "contents"))
        let source = try ItemClasses(model: place).source
        for declaration in [
            "@Item final class Car {", "@Item(\"Data\") final class DataItem {",
            "@Attribute(.unique) var name: String = \"say \\\"hi\\\"\"",
            "@Attribute(originalName: \"label\") var title: String?",
            "@Attribute(originalName: \"backing\") var backing_: Data?",
            "#Index<Car>([\\.name, \\.speed])", "var `class`: Int16 = 3",
            "@Relationship(.ordered, deleteRule: .cascade) var things_Car: ToMany<Car>",
            "@Relationship(inverse: \\Person.things_Car) var owner: Person?",
            "@Relationship(inverse: \"mother\") var children: ToMany<Person>",
            "@Relationship(deleteRule: .noAction, minimumModelCount: 1) var favorite: Car?",
        ] {
            #expect(source.contains(declaration), "\(declaration)")
        }
        let compiler = try #require(DocumentCompiler(in: folder))
        let others = ProcessInfo.processInfo.environment["JP_MODELS"]?.split(separator: ",") ?? []
        for model in [place] + others.map({ URL(filePath: String($0)) }) {
            let code = DocumentedCode(
                document: model.lastPathComponent, program: .file,
                text: try ItemClasses(model: model).source)
            #expect(try await compiler.diagnostics(of: code) == "", "\(code)")
        }
    }
}
