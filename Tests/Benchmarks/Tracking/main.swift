import TrackingSimulation
import LocationModel
import LocationTracking
import Glibc
func f(_ v: Double, _ d: Int = 2) -> String { let p = pow(10.0, Double(d)); return "\((v*p).rounded()/p)" }
func table(_ r: SimulatedReceiver, _ label: String, rate: Double, seeds: Range<UInt64>) {
    print("== \(label) \(rate) Hz")
    for s in Scenario.all {
        let m = Trial(rate: rate, receiver: r).run(s, seeds: seeds)
        print(s.name, "rms", f(m.rms), "/", f(m.heldRMS), "ratio", f(m.rmsRatio), f(m.meanRatio), f(m.p95Ratio), "cov", f(m.coverage * 100,1), "r", f(m.radius), "wander", f(m.wander), "jerk", f(m.jerks.quantile(0.99)), f(m.jerks.max() ?? 0), "jump", f(m.largestJump), "over", f(m.overshootShares.quantile(0.99)), f(m.overshootShares.max() ?? 0), f(m.overshoots.max() ?? 0))
    }
}
let seeds: Range<UInt64> = 1..<61
let args = Set(CommandLine.arguments.dropFirst())
var r = SimulatedReceiver()
if args.contains("std") { table(r, "standard", rate: 10, seeds: seeds) }
if args.contains("tau") { for tau in [10.0, 100, 300] { r.correlationTime = tau; table(r, "tau \(tau)", rate: 10, seeds: seeds) } }
if args.contains("nov") { r = SimulatedReceiver(); r.tellsVelocity = false; table(r, "no velocity", rate: 10, seeds: seeds) }
if args.contains("60") { r = SimulatedReceiver(); table(r, "standard", rate: 60, seeds: 1..<11) }
if args.contains("log") { for log in try RecordedLog.all() {
    let (a, b) = log.foretell()
    print(log.name, a.count, "p50", f(a.quantile(0.5), 3), f(b.quantile(0.5), 3), "p95", f(a.quantile(0.95),3), f(b.quantile(0.95),3), "p99", f(a.quantile(0.99), 3), f(b.quantile(0.99), 3), a.quantile(0.99) <= b.quantile(0.99) ? "" : "NO")
} }
if args.contains("worst") { var allA: [Double] = [], allB: [Double] = []; for log in try RecordedLog.all() {
    let (a, b) = log.foretell()
    allA += a; allB += b
    for i in a.indices.sorted(by: { a[$0] - b[$0] > a[$1] - b[$1] }).prefix(4) { print(log.name, i, f(a[i], 3), f(b[i], 3)) }
}
print("pooled", allA.count, f(allA.quantile(0.99), 3), f(allB.quantile(0.99), 3)) }
