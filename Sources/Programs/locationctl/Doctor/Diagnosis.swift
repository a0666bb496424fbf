import GPSDProtocol
import Glibc
import LocationClient
import LocationConfiguration
import LocationDiagnosis
import LocationInterface
import LocationModel
import LocationServiceManagement

/// Runs the checks of all parts from the antenna to this program.
struct Diagnosis {
    /// The identifier of this program in the package's declaration.
    static let ownIdentifier = "org.locationd.locationctl"

    private let manager: LocationServiceManager
    /// True for the system's service, which systemd runs.
    let isSystem: Bool
    /// The service's property list; `nil` if it is not known.
    private let configurationFile: String?

    init(socketPath: String?, configurationFile: String?) {
        manager = LocationServiceManager(socketPath: socketPath)
        isSystem = configurationFile == nil && manager.socketPath == "/run/locationd/org.locationd"
        self.configurationFile = configurationFile ?? (isSystem ? DaemonConfiguration.defaultFile : nil)
    }

    func findings() async -> [Finding] {
        async let ownAuthorization = ownAuthorization()
        let before = await status()
        let authorization = await ownAuthorization
        let (configurationCheck, configuration) = checkConfiguration(before)
        let source = before.answer.value.flatMap { $0.sources.first.flatMap { StatedSource($0.name) } }
        // Not asked while the service replays a track.
        let address = source == nil ? configuration?.daemon.gpsd.first?.address ?? .tcp() : source?.address
        let probe = address.map { GPSDProbe.ask($0) } ?? GPSDProbe()
        // The service is asked only if gpsd does not answer this program, because the request appears in the history.
        let isAwake = probe.receivers == nil ? await wake(authorization) : false
        let status = isAwake ? await status() : await settled(before, probe)
        let sources = sourcesCheck(probe, source?.replayed, status.answer.value)
        var gpsd = gpsdCheck(address, source?.replayed, probe, status.answer.value, isAwake: isAwake)
        var receivers = receiversCheck(address, probe, status.answer.value, isAwake: isAwake)
        (gpsd.substitute, receivers.substitute) = (sources.substitute, sources.substitute)
        // What gpsd exports is looked for after it was asked, which starts it.
        let port = portCheck([address].compactMap(\.self) + (configuration?.daemon.gpsd.map(\.address) ?? []))
        var checks: [any Check] = [gpsd, port, exportsCheck]
        if gpsd.address.isLocal, gpsd.replayed == nil {
            var check = GPSDReleaseCheck(release: gpsd.release, isOpen: !port.open.isEmpty || gpsd.isSocketOpen)
            check.isFixable = port.isFixable
            checks.append(check)
        }
        checks.append(sources)
        if isSystem, let configuration { checks += modemChecks(configuration, status.answer.value) }
        if isSystem, var compassCheck = CompassCheck.probe() {
            compassCheck.problem = status.answer.value?.compassProblem
            checks.append(compassCheck)
        }
        checks += [receivers, clockCheck(receivers), unitsCheck, socketFileCheck, status, configurationCheck]
        if let configuration {
            checks.append(DeclarationsCheck.probe(configuration, isSandboxed: isSystem))
            if isSystem, let check = LaunchCheck.probe(configuration) { checks.append(check) }
            checks.append(AgentsCheck.probe(configuration, isSandboxed: isSystem))
            if isSystem { checks.append(geoClueCheck(configuration, status.answer.value, probe)) }
            if isSystem, configuration.daemon.usesWiFi {
                let source = status.answer.value?.sources.first { $0.kind == .wifi }
                checks.append(await WiFiCheck.probe(lastError: source?.problem))
            }
        }
        if let reply = status.answer.value { checks.append(await userCheck(reply, authorization)) }
        return checks.flatMap(\.findings)
    }

    /// The steps of `--fix` for the system's service; `nil` if there is nothing to fix.
    func portFix() throws -> PortFix? { try PortFix(portSituation) }

    /// The steps of `--undo` for the system's service; `nil` if there is nothing to undo.
    func portUndo() -> PortUndo? { PortUndo(portSituation) }

    private var portSituation: PortFix.Situation {
        PortFix.probe(
            configurationFile: configurationFile ?? DaemonConfiguration.defaultFile, port: PortCheck.probe(),
            exports: ExportsCheck.probe())
    }

    // MARK: gpsd and its receivers

    private func gpsdCheck(
        _ address: GPSDAddress?, _ replayed: String?, _ probe: GPSDProbe,
        _ status: ManagerInterface.GetServiceStatus.Reply?, isAwake: Bool
    ) -> GPSDCheck {
        var check = GPSDCheck(address: address ?? .tcp(), answer: probe.answer)
        check.replayed = replayed
        check.isInstalled = Command.path(of: "gpsd") != nil
        check.socketUnit = UnitState.probe(at: "gpsd.socket")
        if isSystem { check.service = Account.identity(ofUser: "locationd") }
        if case .unix(let path)? = address { check.socketFile = FileLook.at(path).status }
        if let source = status?.sources.first {
            check.serviceRelease = source.kind == .receiver ? source.version : nil
            switch (source.state, source.problem) {
            case (.connected, _): check.serviceView = .connected
            case (.waiting, let problem?): check.serviceView = .failed(problem)
            // It stops retrying when locations are no longer needed.
            case (.idle, let problem?) where isAwake: check.serviceView = .failed(problem)
            default: break
            }
        }
        return check
    }

    private func sourcesCheck(
        _ gpsd: GPSDProbe, _ replayed: String?, _ status: ManagerInterface.GetServiceStatus.Reply?
    ) -> SourcesCheck {
        var check = SourcesCheck.probe(
            configurationFile: configurationFile ?? DaemonConfiguration.defaultFile, gpsd: gpsd)
        check.isGPSDHidden = gpsd.answer == .noPermission
        if check.found.isEmpty, status?.sources.contains(where: { !$0.receivers.isEmpty }) ?? false {
            check.receivers.append("gpsd")
        }
        if let replayed { check.others.append("the recorded track \(replayed)") }
        return check
    }

    /// The check of the ports of all gpsd that the service uses on this machine.
    private func portCheck(_ addresses: [GPSDAddress]) -> PortCheck {
        var ports: Set = [PortCheck.standardPort]
        for address in addresses where address.isLocal {
            if case .tcp(_, let port) = address { ports.insert(UInt16(clamping: port)) }
        }
        var check = PortCheck.probe(ports: ports)
        check.isFixable = isSystem && UnitState.probe(at: "gpsd.socket").value?.isLoaded == true
        return check
    }

    private var exportsCheck: ExportsCheck {
        var check = ExportsCheck.probe()
        check.isFixable = isSystem && check.unit.value?.isLoaded == true
        return check
    }

    private func receiversCheck(
        _ address: GPSDAddress?, _ probe: GPSDProbe, _ status: ManagerInterface.GetServiceStatus.Reply?,
        isAwake: Bool
    ) -> ReceiversCheck {
        var check: ReceiversCheck
        if let receivers = probe.receivers {
            check = ReceiversCheck(receivers: .seen(receivers))
        } else if let status, !status.showsReceivers {
            check = ReceiversCheck(
                receivers: .hidden("only root, and who allows locationctl the exact location, may see them"))
        } else if let source = status?.sources.first,
            // What is known of receivers from before their gpsd went away says nothing about them.
            source.state == .connected || source.state == .idle && !source.receivers.isEmpty
        {
            check = ReceiversCheck(receivers: .seen(source.receivers))
            check.isLive = isAwake
        } else if address == nil {
            check = ReceiversCheck(receivers: .hidden("no program needs a location now"))
        } else {
            check = ReceiversCheck(receivers: .hidden("gpsd cannot be asked"))
        }
        check.doubts = (status?.sources ?? []).flatMap(\.receivers).flatMap { receiver in
            (receiver.doubts ?? []).map { (receiver.device ?? "the receiver", $0.message) }
        }
        check.scan()
        return check
    }

    /// The check of modems, on a machine that has or configures them.
    private func modemChecks(
        _ configuration: Configuration, _ status: ManagerInterface.GetServiceStatus.Reply?
    ) -> [ModemCheck] {
        var check = ModemCheck.probe(isEnabled: configuration.daemon.usesModem)
        check.problem = status?.sources.first { $0.name == "ModemManager" }?.problem
        guard check.isEnabled || check.modems.value?.map(\.hasReceiver) == true else { return [] }
        return [check]
    }

    private func clockCheck(_ receivers: ReceiversCheck) -> ClockCheck {
        var check = ClockCheck()
        for receiver in receivers.receivers.value ?? [] {
            if let offset = receiver.clockOffset { check.offsets[receiver.device ?? "the receiver"] = offset }
        }
        check.isSynchronized = ClockCheck.readSynchronization()
        return check
    }

    // MARK: The service

    private func status() async -> ServiceCheck {
        do {
            let status = try await manager.status()
            return ServiceCheck(path: manager.socketPath, answer: .seen(status), isSystem: isSystem)
        } catch {
            return ServiceCheck(path: manager.socketPath, answer: .hidden("\(error)"), isSystem: isSystem)
        }
    }

    /// The status of the service, which is given time to connect again to a gpsd that answers: both may just have been restarted,
    /// and it tries every few seconds.
    private func settled(_ before: ServiceCheck, _ probe: GPSDProbe) async -> ServiceCheck {
        guard case .release = probe.answer else { return before }
        var now = before
        for _ in 0..<5 {
            guard let source = now.answer.value?.sources.first, source.state == .waiting, source.problem != nil else {
                break
            }
            try? await Task.sleep(for: .seconds(1))
            now = await status()
        }
        return now
    }

    private var unitsCheck: UnitsCheck {
        guard isSystem else {
            let reason = "this is not the system's service"
            return UnitsCheck(socket: .hidden(reason), service: .hidden(reason))
        }
        return UnitsCheck(
            socket: UnitState.probe(at: "locationd.socket"), service: UnitState.probe(at: "locationd.service"))
    }

    private var socketFileCheck: SocketFileCheck {
        let path = manager.socketPath
        let directory = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        return SocketFileCheck(
            path: path, file: FileLook.at(path), directory: FileLook.at(directory, followsLink: false),
            isSystem: isSystem)
    }

    private func checkConfiguration(_ service: ServiceCheck) -> (ConfigurationCheck, Configuration?) {
        guard let configurationFile else {
            var check = ConfigurationCheck(
                file: "", problems: .hidden("this is not the system's service; give its property list with --config"))
            check.refusedByService = service.answer.value?.problems.map(\.sentence) ?? []
            return (check, nil)
        }
        var (check, configuration) = ConfigurationCheck.probe(file: configurationFile, isSystem: isSystem)
        check.refusedByService = service.answer.value?.problems.map(\.sentence) ?? []
        check.isServiceAnswering = service.answer.value != nil
        if isSystem, let gpsd = configuration?.daemon.gpsd.first?.address, let status = service.answer.value {
            check.configuredAddress = "\(gpsd)"
            check.addressInForce = status.sources.first?.name
        }
        return (check, configuration)
    }

    private func geoClueCheck(
        _ configuration: Configuration, _ status: ManagerInterface.GetServiceStatus.Reply?, _ gpsd: GPSDProbe
    ) -> GeoClueCheck {
        var check = GeoClueCheck.probe()
        check.problem = status?.frontEnds?.first { $0.name == "GeoClue" }?.problem
        check.isEnabled = configuration.daemon.geoClue.isEnabled ?? GeoClueAlias.isSet
        check.isGeoClueInstalled = GeoClueAlias.isGeoClueInstalled
        check.hasSource = sourcesCheck(gpsd, nil, status).hasSource
        return check
    }

    // MARK: The user

    private func ownAuthorization() async -> Evidence<AuthorizationStatus> {
        do {
            return .seen(try await LocationManager(socketPath: manager.socketPath).authorizationStatus)
        } catch {
            return .hidden("\(error)")
        }
    }

    /// Makes the service observe the receivers for a while, if this program is authorized. Its status then has the result.
    private func wake(_ authorization: Evidence<AuthorizationStatus>) async -> Bool {
        switch authorization.value {
        case .authorizedAlways?, .authorizedWhenInUse?: break
        case .notDetermined?, .denied?, .restricted?, nil: return false
        }
        do {
            _ = try await LocationManager(socketPath: manager.socketPath).requestLocation(timeout: .seconds(5))
            return true
        } catch .locationUnknown {
            return true
        } catch {
            return false
        }
    }

    private func userCheck(
        _ status: ManagerInterface.GetServiceStatus.Reply, _ authorization: Evidence<AuthorizationStatus>
    ) async -> UserCheck {
        var check = UserCheck()
        check.isEnabled = status.isEnabled
        check.isOffAfterDamage = status.isOffAfterDamage ?? false
        check.isEnabledForUser = status.isEnabledForUser
        check.hasAgent = status.hasAgent
        // logind keeps its sessions there while it runs, and libsystemd reads them.
        check.hasLogind = access("/run/systemd/sessions", F_OK) == 0
        if isSystem { check.geofenceUnit = GeofenceUnits.watchState }
        check.authorization = authorization
        if let rule = await WithholdingRule.find(socket: manager.socketPath) {
            check.withholding = .init(rule: rule.clause, remedy: rule.remedy)
        }
        do {
            check.undecided = .seen(
                try await manager.clients().filter { $0.status == .notDetermined && $0.mayAsk }.map(\.client)
                    .filter { $0 != Self.ownIdentifier })
        } catch .permissionDenied {
            check.undecided = .hidden("this program is not among Agents in the service's property list")
        } catch {
            check.undecided = .hidden("\(error)")
        }
        return check
    }
}

extension ManagerInterface.Client {
    /// True if it is connected, or declared by the machine's administrator. The package declares programs that may not be
    /// installed.
    fileprivate var mayAsk: Bool { isConnected || file?.hasPrefix(DaemonConfiguration.packagedClients + "/") != true }
}
