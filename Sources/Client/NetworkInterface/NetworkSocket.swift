/// The socket of the program that queries a positioning server.
public enum NetworkSocket {
    /// Its path in an installed system. Only the service's user may open it.
    public static let path = "/run/locationd-network/org.locationd.Network"
}
