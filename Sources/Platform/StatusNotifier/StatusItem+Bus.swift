import LinuxPlumbing

// The item's properties and menu on the bus.

/// The objects and interfaces of an item.
enum ItemInterface {
    static let itemPath = "/StatusNotifierItem"
    static let menuPath = "/MenuBar"
    static let item = "org.kde.StatusNotifierItem"
    static let menu = "com.canonical.dbusmenu"
    static let properties = "org.freedesktop.DBus.Properties"
    static let introspection = "org.freedesktop.DBus.Introspectable"

    /// The description of an object for `Introspect`.
    static func text(of path: String) -> String {
        switch path {
        case itemPath:
            """
            <node><interface name="org.kde.StatusNotifierItem">
            <property name="Category" type="s" access="read"/><property name="Id" type="s" access="read"/>
            <property name="Title" type="s" access="read"/><property name="Status" type="s" access="read"/>
            <property name="WindowId" type="i" access="read"/><property name="IconName" type="s" access="read"/>
            <property name="IconThemePath" type="s" access="read"/><property name="IconPixmap" type="a(iiay)" access="read"/>
            <property name="OverlayIconName" type="s" access="read"/>
            <property name="OverlayIconPixmap" type="a(iiay)" access="read"/>
            <property name="AttentionIconName" type="s" access="read"/>
            <property name="AttentionIconPixmap" type="a(iiay)" access="read"/>
            <property name="AttentionMovieName" type="s" access="read"/>
            <property name="ToolTip" type="(sa(iiay)ss)" access="read"/>
            <property name="ItemIsMenu" type="b" access="read"/><property name="Menu" type="o" access="read"/>
            <method name="ContextMenu"><arg type="i" direction="in"/><arg type="i" direction="in"/></method>
            <method name="Activate"><arg type="i" direction="in"/><arg type="i" direction="in"/></method>
            <method name="SecondaryActivate"><arg type="i" direction="in"/><arg type="i" direction="in"/></method>
            <method name="Scroll"><arg type="i" direction="in"/><arg type="s" direction="in"/></method>
            <signal name="NewTitle"/><signal name="NewToolTip"/>
            </interface></node>
            """
        case menuPath:
            """
            <node><interface name="com.canonical.dbusmenu">
            <property name="Version" type="u" access="read"/><property name="TextDirection" type="s" access="read"/>
            <property name="Status" type="s" access="read"/><property name="IconThemePath" type="as" access="read"/>
            <method name="GetLayout"><arg type="i" direction="in"/><arg type="i" direction="in"/><arg type="as" direction="in"/>
            <arg type="u" direction="out"/><arg type="(ia{sv}av)" direction="out"/></method>
            <method name="GetGroupProperties"><arg type="ai" direction="in"/><arg type="as" direction="in"/>
            <arg type="a(ia{sv})" direction="out"/></method>
            <method name="GetProperty"><arg type="i" direction="in"/><arg type="s" direction="in"/>
            <arg type="v" direction="out"/></method>
            <method name="Event"><arg type="i" direction="in"/><arg type="s" direction="in"/><arg type="v" direction="in"/>
            <arg type="u" direction="in"/></method>
            <method name="EventGroup"><arg type="a(isvu)" direction="in"/><arg type="ai" direction="out"/></method>
            <method name="AboutToShow"><arg type="i" direction="in"/><arg type="b" direction="out"/></method>
            <method name="AboutToShowGroup"><arg type="ai" direction="in"/><arg type="ai" direction="out"/>
            <arg type="ai" direction="out"/></method>
            <signal name="LayoutUpdated"><arg type="u"/><arg type="i"/></signal>
            </interface></node>
            """
        default: "<node/>"
        }
    }
}

/// A value of a property.
enum ItemValue {
    case text(String)
    case path(String)
    case number(UInt32)
    case signed(Int32)
    case boolean(Bool)
    case texts([String])
    case pixmaps([StatusPixmap])
    case toolTip(title: String, body: String)

    var signature: String {
        switch self {
        case .text: "s"
        case .path: "o"
        case .number: "u"
        case .signed: "i"
        case .boolean: "b"
        case .texts: "as"
        case .pixmaps: "a(iiay)"
        case .toolTip: "(sa(iiay)ss)"
        }
    }
}

extension OutgoingMessage {
    mutating func append(_ value: ItemValue) {
        switch value {
        case .text(let text): append(text)
        case .path(let path): append(path: path)
        case .number(let number): append(number)
        case .signed(let number): append(number)
        case .boolean(let isTrue): append(isTrue)
        case .texts(let texts): appendArray(of: "s") { for text in texts { $0.append(text) } }
        case .pixmaps(let pixmaps):
            appendArray(of: "(iiay)") { message in
                for pixmap in pixmaps {
                    message.appendStructure(of: "iiay") {
                        $0.append(Int32(pixmap.size))
                        $0.append(Int32(pixmap.size))
                        $0.append(bytes: pixmap.bytes)
                    }
                }
            }
        case .toolTip(let title, let body):
            appendStructure(of: "sa(iiay)ss") {
                $0.append("")
                $0.append(.pixmaps([]))
                $0.append(title)
                $0.append(body)
            }
        }
    }

    mutating func appendVariant(_ value: ItemValue) { appendVariant(of: value.signature) { $0.append(value) } }

    mutating func append(_ properties: [(name: String, value: ItemValue)]) {
        appendArray(of: "{sv}") { message in
            for property in properties {
                message.appendEntry(property.name, of: property.value.signature) { $0.append(property.value) }
            }
        }
    }

    /// The layout of an entry with these entries below it.
    mutating func appendLayout(
        of id: Int32, _ properties: [(name: String, value: ItemValue)], below entries: [StatusItem.Entry] = []
    ) {
        appendStructure(of: "ia{sv}av") {
            $0.append(id)
            $0.append(properties)
            $0.appendArray(of: "v") { message in
                for entry in entries {
                    message.appendVariant(of: "(ia{sv}av)") { $0.appendLayout(of: entry.id, entry.properties) }
                }
            }
        }
    }
}

extension StatusItem {
    /// The properties of the item. An empty text or picture stands for none.
    var properties: [(name: String, value: ItemValue)] {
        [
            ("Category", .text("SystemServices")), ("Id", .text("locationd")), ("Title", .text(title)),
            ("Status", .text("Active")), ("WindowId", .signed(0)), ("IconName", .text("find-location-symbolic")),
            ("IconThemePath", .text("")), ("IconPixmap", .pixmaps(StatusPixmap.location)),
            ("OverlayIconName", .text("")), ("OverlayIconPixmap", .pixmaps([])), ("AttentionIconName", .text("")),
            ("AttentionIconPixmap", .pixmaps([])), ("AttentionMovieName", .text("")),
            // Panels show markup in tooltips, and the names of programs are written by others.
            (
                "ToolTip",
                .toolTip(title: title.markupFree, body: details.map(\.markupFree).joined(separator: "\n"))
            ), ("ItemIsMenu", .boolean(true)), ("Menu", .path(ItemInterface.menuPath)),
        ]
    }

    /// The properties of the menu.
    static var menuProperties: [(name: String, value: ItemValue)] {
        [
            ("Version", .number(3)), ("TextDirection", .text("ltr")), ("Status", .text("normal")),
            ("IconThemePath", .texts([])),
        ]
    }

    /// The properties of the menu's root.
    static var rootProperties: [(name: String, value: ItemValue)] { [("children-display", .text("submenu"))] }
}

extension StatusItem.Entry {
    var properties: [(name: String, value: ItemValue)] {
        guard !isSeparator else { return [("type", .text("separator"))] }
        // A single underscore marks a key.
        let label = label.split(separator: "_", omittingEmptySubsequences: false).joined(separator: "__")
        return [("label", .text(label)), ("enabled", .boolean(isEnabled)), ("visible", .boolean(true))]
    }
}

extension String {
    /// The text with other characters in place of those of markup: panels differ in whether they read markup, so escapes would be seen
    /// in some.
    fileprivate var markupFree: String {
        let others: [Unicode.Scalar: Unicode.Scalar] = ["&": "＆", "<": "‹", ">": "›"]
        return String(String.UnicodeScalarView(unicodeScalars.map { others[$0] ?? $0 }))
    }
}
