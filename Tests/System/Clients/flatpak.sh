#!/bin/sh
# Makes a Flatpak application that asks GeoClue, with a runtime of this system's own files, and installs it for this user. It is
# gammastep, since in a sandbox libgeoclue asks the portal instead.
set -e
mkdir -p ~/flatpak && cd ~/flatpak
libraries=runtime/usr/lib/x86_64-linux-gnu
mkdir -p runtime/files runtime/var runtime/usr/bin runtime/usr/lib64 $libraries application/files/bin application/export
for program in /bin/busybox /usr/bin/gammastep; do
    cp $program runtime/usr/bin/
    ldd $program | awk '/=> \//{print $3}' | while read -r library; do cp -Ln "$library" $libraries/; done
done
ln -s busybox runtime/usr/bin/sh
cp -L /lib64/ld-linux-x86-64.so.2 runtime/usr/lib64/
cat > runtime/metadata <<END
[Runtime]
name=org.example.Platform
runtime=org.example.Platform/x86_64/1
sdk=org.example.Platform/x86_64/1
END
cat > application/metadata <<END
[Application]
name=org.example.Located
runtime=org.example.Platform/x86_64/1
sdk=org.example.Platform/x86_64/1
command=located
[System Bus Policy]
org.freedesktop.GeoClue2=talk
END
printf '#!/bin/sh\nexport LD_LIBRARY_PATH=/usr/lib/x86_64-linux-gnu\nexec gammastep -l geoclue2 -m dummy -v\n' \
    > application/files/bin/located
chmod +x application/files/bin/located
flatpak build-export -r repository runtime 1
flatpak build-export repository application 1
flatpak --user remote-add --no-gpg-verify example repository
flatpak --user install -y --noninteractive example org.example.Located
