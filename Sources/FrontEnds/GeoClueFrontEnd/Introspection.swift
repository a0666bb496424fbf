/// The replies to `Introspect`.
public enum Introspection {
    /// The description of an object; with `nil` of an object above those with members.
    public static func text(of object: ObjectPath?) -> String {
        let members =
            switch object {
            case .manager: manager
            case .client: client
            case .location: location
            case nil: ""
            }
        return header + "<node>" + members + standard + "</node>\n"
    }

    private static let header = """
        <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
        "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">

        """

    private static let manager = """
        <interface name="org.freedesktop.GeoClue2.Manager">
        <property name="InUse" type="b" access="read"/>
        <property name="AvailableAccuracyLevel" type="u" access="read"/>
        <method name="GetClient"><arg name="client" type="o" direction="out"/></method>
        <method name="CreateClient"><arg name="client" type="o" direction="out"/></method>
        <method name="DeleteClient"><arg name="client" type="o" direction="in"/></method>
        <method name="AddAgent"><arg name="id" type="s" direction="in"/></method>
        </interface>
        """

    private static let client = """
        <interface name="org.freedesktop.GeoClue2.Client">
        <property name="Location" type="o" access="read"/>
        <property name="DistanceThreshold" type="u" access="readwrite"/>
        <property name="TimeThreshold" type="u" access="readwrite"/>
        <property name="DesktopId" type="s" access="readwrite"/>
        <property name="RequestedAccuracyLevel" type="u" access="readwrite"/>
        <property name="Active" type="b" access="read"/>
        <method name="Start"/>
        <method name="Stop"/>
        <signal name="LocationUpdated"><arg name="old" type="o"/><arg name="new" type="o"/></signal>
        </interface>
        """

    private static let location = """
        <interface name="org.freedesktop.GeoClue2.Location">
        <property name="Latitude" type="d" access="read"/>
        <property name="Longitude" type="d" access="read"/>
        <property name="Accuracy" type="d" access="read"/>
        <property name="Altitude" type="d" access="read"/>
        <property name="Speed" type="d" access="read"/>
        <property name="Heading" type="d" access="read"/>
        <property name="Description" type="s" access="read"/>
        <property name="Timestamp" type="(tt)" access="read"/>
        </interface>
        """

    private static let standard = """
        <interface name="org.freedesktop.DBus.Properties">
        <method name="Get"><arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="v" direction="out"/></method>
        <method name="GetAll"><arg type="s" direction="in"/><arg type="a{sv}" direction="out"/></method>
        <method name="Set"><arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="v" direction="in"/></method>
        <signal name="PropertiesChanged"><arg type="s"/><arg type="a{sv}"/><arg type="as"/></signal>
        </interface>
        <interface name="org.freedesktop.DBus.Introspectable">
        <method name="Introspect"><arg type="s" direction="out"/></method>
        </interface>
        """
}
