import Foundation
import JustPersist
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
        <entity name="Data" parentEntity="Thing"><attribute name="backing" optional="YES" attributeType="Binary"/>
        <attribute name="hide" optional="YES" attributeType="Boolean" defaultValueString="NO"/></entity>
        <entity name="Person">
        <attribute name="class" attributeType="Integer 16" defaultValueString="3"/><attribute name="age" optional="YES" attributeType="Integer 64"/>
        <attribute name="born" attributeType="Date" defaultDateTimeInterval="12.5"/><attribute name="key" attributeType="UUID"/>
        <attribute name="money" attributeType="Decimal" defaultValueString="1.5"/><attribute name="isOn" attributeType="Boolean" defaultValueString="YES"/>
        <attribute name="rest" attributeType="Decimal" defaultValueString="12abc"/><attribute name="isOff" attributeType="Boolean" defaultValueString="maybe"/>
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

    /// Names of a model that are no names in Swift, or that would be code.
    private let hostileModel = """
        <model>
        <entity name="String"><attribute name="a: Int? = evil()&#10;var b" optional="YES" attributeType="String"/>
        <attribute name="1st place" attributeType="Integer 16" defaultValueString="100000"/>
        <attribute name="_" optional="YES" attributeType="Date"/><attribute name="größe" optional="YES" attributeType="Double"/>
        <attribute name="x&#10;#error(&quot;a&quot;)" optional="YES" transient="YES"/>
        <attribute name="day" attributeType="Date" defaultDateTimeInterval="nan"/>
        <relationship name="its-others" optional="YES" toMany="YES" destinationEntity="Two Words" inverseName="the owner"/>
        <fetchIndex name="a"><fetchIndexElement property="1st place"/><fetchIndexElement property="}; evil() //"/></fetchIndex></entity>
        <entity name="Two Words"><relationship name="the owner" optional="YES" maxCount="1" destinationEntity="String" inverseName="its-others"/></entity>
        </model>
        """

    @Test func twoNamesThatAreOneInSwiftAreRefused() throws {
        for entities in [
            #"<entity name="A"><attribute name="a b" attributeType="String"/><attribute name="a_b" attributeType="String"/></entity>"#,
            #"<entity name="Data"/><entity name="DataItem"/>"#,
        ] {
            let folder = FileManager.default.temporaryDirectory.appending(path: "models-\(UUID())")
            defer { try? FileManager.default.removeItem(at: folder) }
            let place = folder.appending(path: "Model.xcdatamodel")
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            try Data("<model>\(entities)</model>".utf8).write(to: place.appending(path: "contents"))
            let error = #expect(throws: DataStoreError.self) { try ItemClasses(model: place) }
            #expect(error?.message.contains("would have one name in Swift") == true)
        }
    }

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
            "var hide: Bool? = false\n",
            // Texts that only begin with a number, and are no truth value, are no defaults.
            "var rest: Decimal = 0\n", "var isOff: Bool = false",
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
        let hostile = folder.appending(path: "Hostile.xcdatamodel")
        try FileManager.default.createDirectory(at: hostile, withIntermediateDirectories: true)
        try Data(hostileModel.utf8).write(to: hostile.appending(path: "contents"))
        #expect(try ItemClasses(model: hostile).source.contains("final class StringItem {"))
        for model in [place, hostile] + others.map({ URL(filePath: String($0)) }) {
            let code = DocumentedCode(
                document: model.lastPathComponent, program: .file,
                text: try ItemClasses(model: model).source)
            #expect(try await compiler.diagnostics(of: code) == "", "\(code)")
        }
    }
}
