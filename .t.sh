cd /work/main
D=/tmp/fv; rm -rf $D; mkdir -p $D/clients.d $D/state
[ -e .build/map ] || ln -s /rooms/alone/locationd/.build/map .build/map
cat > $D/l.plist <<X
<?xml version="1.0"?><plist version="1.0"><dict><key>ClientDirectories</key><array><string>$D/clients.d</string></array><key>Agents</key><array><string>/work/main/.build/x86_64-unknown-linux-gnu/debug/locationctl</string></array></dict></plist>
X
cat > $D/clients.d/c.plist <<X
<?xml version="1.0"?><plist version="1.0"><dict><key>CFBundleIdentifier</key><string>org.locationd.locationctl</string><key>CFBundleDisplayName</key><string>locationctl</string><key>NSLocationWhenInUseUsageDescription</key><string>Shows.</string><key>NSLocationAlwaysAndWhenInUseUsageDescription</key><string>Shows.</string><key>Match</key><dict><key>Executable</key><string>/work/main/.build/x86_64-unknown-linux-gnu/debug/locationctl</string></dict></dict></plist>
X
.build/debug/locationd --config $D/l.plist --socket $D/s --state-directory $D/state --gpsd 127.0.0.1:2999 2>$D/log &
sleep 2
export LOCATIOND_SOCKET=$D/s
.build/debug/locationctl allow --always org.locationd.locationctl
time .build/debug/locationctl get --timeout 4
for w in 80 40; do
tmux -L fv new-session -d -x $w -y 24 "LANG=C.UTF-8 .build/debug/locationctl follow"; sleep 5; tmux -L fv capture-pane -p; tmux -L fv kill-server; done
LANG=C tmux -L fv new-session -d -x 80 -y 20 "LANG=C LC_ALL=C .build/debug/locationctl follow"; sleep 4; tmux -L fv capture-pane -p; tmux -L fv kill-server
.build/debug/locationctl doctor | head -40
.build/debug/locationctl explain locationctl
.build/debug/locationctl search Porto --near none --limit 1
LC_ALL=C .build/debug/locationctl search "São Paulo" --near none --limit 2
kill %1
