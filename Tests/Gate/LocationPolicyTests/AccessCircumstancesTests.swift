import LocationModel
import Testing

@testable import LocationPolicy

/// The rules over circumstances that do not belong to the client's authorization: one row each.
@Suite("Access by circumstances", .timeLimit(.minutes(10))) struct AccessCircumstancesTests {
    private func machine(
        _ grant: AuthorizationRecord.Grant?, accuracy: AccuracyAuthorization? = nil,
        _ change: (inout ClientAuthorization.Circumstances) -> Void = { _ in }
    ) -> ClientAuthorization {
        let declaration = ClientDeclaration(identifier: "org.example.App", match: ClientMatch(), file: "/a.plist")
        var circumstances = ClientAuthorization.Circumstances(declaration: declaration)
        change(&circumstances)
        var record = AuthorizationRecord()
        (record.grant, record.accuracy) = (grant, accuracy)
        return ClientAuthorization(record: record, circumstances: circumstances)
    }

    private typealias Row = (
        client: ClientAuthorization, now: AccessCircumstances, status: AuthorizationStatus, access: Access,
        rule: AccessEvaluation.StatusRule
    )

    @Test("location services that are off on the desktop deny its applications, whatever the decision")
    func desktopSwitch() {
        let off = AccessCircumstances(isInUse: true, desktop: .off)
        let rows: [Row] = [
            (machine(.always), off, .denied, .refused, .servicesOffOnDesktop),
            (machine(.whenInUse), off, .denied, .refused, .servicesOffOnDesktop),
            (machine(.denied), off, .denied, .refused, .servicesOffOnDesktop),
            // Nobody is asked meanwhile.
            (machine(nil), off, .denied, .refused, .servicesOffOnDesktop),
            // The machine's, the user's and the policy's rules are stronger, so explanations name them.
            (machine(.always) { $0.isEnabledForMachine = false }, off, .denied, .refused, .servicesOffForMachine),
            (machine(.always) { $0.isEnabledForUser = false }, off, .denied, .refused, .servicesOffForUser),
            (
                machine(.always) { $0.declaration.policy.isRestricted = true }, off, .restricted, .refused,
                .restriction
            ),
            (
                machine(.always), AccessCircumstances(isInUse: true), .authorizedAlways, .permitted(.full),
                .decision(.always)
            ),
        ]
        for (number, row) in rows.enumerated() {
            let evaluation = row.client.evaluate(row.now)
            #expect(evaluation.authorization.status == row.status, "row \(number)")
            #expect(evaluation.access == row.access, "row \(number)")
            #expect(evaluation.statusRule == row.rule, "row \(number)")
        }
    }

    @Test("a desktop and a recipient only lower the accuracy; of two limits the lower one counts")
    func accuracy() {
        let rows:
            [(AccuracyAuthorization?, DesktopLimit?, AccuracyAuthorization, Access, AccessEvaluation.AccuracyRule)] = [
                (nil, nil, .full, .permitted(.full), .standard),
                (nil, .reduced, .full, .permitted(.reduced), .desktop),
                (.full, .reduced, .full, .permitted(.reduced), .desktop),
                (.reduced, .reduced, .full, .permitted(.reduced), .desktop),
                (.full, nil, .reduced, .permitted(.reduced), .decision),
                (.reduced, nil, .full, .permitted(.reduced), .decision),
                (nil, nil, .reduced, .permitted(.reduced), .standard),
            ]
        for (number, (decided, desktop, requested, access, rule)) in rows.enumerated() {
            let evaluation = machine(.always, accuracy: decided)
                .evaluate(AccessCircumstances(desktop: desktop, requestedAccuracy: requested))
            #expect(evaluation.access == access, "row \(number)")
            #expect(evaluation.accuracyRule == rule, "row \(number)")
        }
        // A recipient that asks for less changes what it gets, not what its client may have.
        let asked = machine(.always).evaluate(AccessCircumstances(requestedAccuracy: .reduced))
        #expect(asked.authorization.accuracy == .full)
    }

    @Test("limits give nothing to a client that is not in use or not authorized")
    func limitsOnly() {
        for desktop in [nil, DesktopLimit.reduced] {
            for requested in [AccuracyAuthorization.full, .reduced] {
                func access(_ client: ClientAuthorization, isInUse: Bool) -> Access {
                    client.access(
                        AccessCircumstances(isInUse: isInUse, desktop: desktop, requestedAccuracy: requested))
                }
                #expect(access(machine(.whenInUse), isInUse: false) == .suspended)
                #expect(access(machine(.denied), isInUse: true) == .refused)
                #expect(access(machine(nil), isInUse: true) == .refused)
            }
        }
    }
}
