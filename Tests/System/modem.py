#!/usr/bin/python3
"""A modem for the box: a SIMCom SIM7600 on USB, made of umockdev below the real ModemManager, which it starts.

    umockdev-wrapper python3 modem.py

Its port of AT commands answers what ModemManager asks. Its receiver sends NMEA once a second from AT+CGPS=1 on, without a fix
three times; each sentence has the time of its sending. While /run/modem-silent exists, it sends nothing. SIGUSR1 unplugs it.
"""
import os
import signal
import subprocess
import threading
import time

import gi

gi.require_version("UMockdev", "1.0")
from gi.repository import GLib, UMockdev  # noqa: E402

USB = "/devices/pci0000:00/0000:00:14.0/usb1/1-1"
GPS, AT = 1, 2
EPOCHS_WITHOUT_FIX = 3
# ModemManager locks its ports, which umockdev refuses by itself.
TIOCEXCL, TIOCNXCL, ENOTTY = 0x540C, 0x540D, 25

DEVICES = f"""P: {USB}
E: DEVTYPE=usb_device
E: SUBSYSTEM=usb
E: DRIVER=usb
E: BUSNUM=001
E: DEVNUM=004
A: idVendor=1e0e
A: idProduct=9001
A: manufacturer=SimTech
A: product=SIM7600
A: bConfigurationValue=1

""" + "".join(f"""P: {USB}/1-1:1.{port}
E: DEVTYPE=usb_interface
E: SUBSYSTEM=usb
E: DRIVER=option
L: driver=../../../../../../bus/usb/drivers/option
A: bInterfaceNumber=0{port}
A: bInterfaceClass=ff
A: bInterfaceSubClass=00
A: bInterfaceProtocol=00

P: {USB}/1-1:1.{port}/ttyUSB{port}
E: SUBSYSTEM=usb-serial
E: DRIVER=option1
L: driver=../../../../../../../bus/usb-serial/drivers/option1

P: {USB}/1-1:1.{port}/ttyUSB{port}/tty/ttyUSB{port}
N: ttyUSB{port}
E: DEVNAME=/dev/ttyUSB{port}
E: SUBSYSTEM=tty
E: ID_MM_CANDIDATE=1
E: ID_BUS=usb
E: ID_VENDOR_ID=1e0e
E: ID_MODEL_ID=9001
E: {tag}=1

""" for port, tag in ((GPS, "ID_MM_PORT_TYPE_GPS"), (AT, "ID_MM_PORT_TYPE_AT_PRIMARY")))

REGISTERED = '2,1,"1234","001122BB",7'
ANSWERS = {
    "AT+GCAP": "+GCAP: +CGSM", "AT+CGMI": "SIMCOM INCORPORATED", "AT+CGMM": "SIM7600E", "AT+CGMR": "+CGMR: LE11B",
    "AT+CGSN": "861107030000001", "ATI": "Manufacturer: SIMCOM\r\nModel: SIM7600E", "AT+WS46=?": "+WS46: (12,22,28)",
    "AT+CIMI": "214011234567890", "AT+CPIN?": "+CPIN: READY", "AT+CFUN?": "+CFUN: 1",
    "AT+CREG=2": "", "AT+CGREG=2": "", "AT+CEREG=2": "",
    "AT+CREG?": f"+CREG: {REGISTERED}", "AT+CGREG?": f"+CGREG: {REGISTERED}", "AT+CEREG?": f"+CEREG: {REGISTERED}",
    "AT+COPS=3,2;+COPS?": '+COPS: 0,2,"21401",7', "AT+COPS=3,0;+COPS?": '+COPS: 0,0,"Example",7', "AT+CSQ": "+CSQ: 17,99",
    "AT+CPSI?": "+CPSI: LTE,Online,214-01,0x1234,1122491,257,EUTRAN-BAND3,1300,5,5,-94,-850,-545,15",
    "AT+CGDCONT=?": '+CGDCONT: (1-24),"IP",,,(0-2),(0-4)', "AT+CLCK=?": '+CLCK: ("SC","PN")',
    'AT+CLCK="SC",2': "+CLCK: 0", "AT+CSCS=?": '+CSCS: ("IRA","UCS2","GSM")', "AT+CGPS=?": "+CGPS: (0,1),(1-3)",
    "AT+CGPS?": "+CGPS: 0,1", "AT+CCID": "+CCID: 89340100000000000000", "AT+CNMP=?": "+CNMP: (2,13,14,38)",
    "AT+CNMP?": "+CNMP: 2", "AT+CNSMOD?": "+CNSMOD: 0,8",
}
OBEYED = (
    "ATE0", "ATV1", "AT+CMEE", "ATX4", "AT&C1", "AT+CFUN=", "AT+CSCS=", "AT+CREG=", "AT+CGREG=", "AT+CEREG=", "AT+CGPS=",
    "ATZ", "AT+CNMI=", "AT+CMGF=", "AT+CNSMOD=", "AT+AUTOCSQ=",
)

receiver_is_on = threading.Event()


def answer(command):
    if command.startswith("AT+CGPS=1"):
        receiver_is_on.set()
    if command.startswith("AT+CGPS=0"):
        receiver_is_on.clear()
    if command in ANSWERS:
        return f"\r\n{ANSWERS[command]}\r\n\r\nOK\r\n" if ANSWERS[command] else "\r\nOK\r\n"
    return "\r\nOK\r\n" if command == "AT" or command.startswith(OBEYED) else "\r\nERROR\r\n"


def serve_commands(port):
    rest = b""
    while True:
        try:
            rest += os.read(port, 4096)
        except OSError:
            time.sleep(0.05)  # Nobody has the port open.
            continue
        *lines, rest = rest.split(b"\r")
        for line in lines:
            command = line.strip().decode("latin1")
            if command:
                print("AT", command, flush=True)
                os.write(port, answer(command).encode())


def sentence(body):
    checksum = 0
    for character in body:
        checksum ^= ord(character)
    return f"${body}*{checksum:02X}\r\n"


def epoch(number, now):
    clock, date = time.strftime("%H%M%S", time.gmtime(now)) + f"{now % 1:.3f}"[1:], time.strftime("%d%m%y", time.gmtime(now))
    if number <= EPOCHS_WITHOUT_FIX:
        return sentence(f"GPGGA,{clock},,,,,0,00,99.9,,,,,,") + sentence(f"GPRMC,{clock},V,,,,,,,{date},,,N")
    position = "5231.2000,N,01324.3000,E"
    return (sentence(f"GPGGA,{clock},{position},1,08,0.9,34.0,M,44.0,M,,")
            + sentence(f"GPRMC,{clock},A,{position},2.5,84.4,{date},,,A")
            + sentence("GPGSA,A,3,02,05,07,09,13,20,29,30,,,,,1.6,0.9,1.3"))


def send_positions(port):
    number = 0
    while True:
        if not receiver_is_on.is_set():
            number = 0
            receiver_is_on.wait()
        if not os.path.exists("/run/modem-silent"):
            number += 1
            try:
                os.write(port, epoch(number, int(time.time() * 1000) / 1000).encode())
            except OSError:
                pass
        time.sleep(1)


def main():
    testbed = UMockdev.Testbed.new()
    testbed.add_from_string(DEVICES)

    def lock(_, client):
        client.complete(*((0, 0) if client.get_request() in (TIOCEXCL, TIOCNXCL) else (-1, ENOTTY)))
        return True

    handlers = []
    for port in (GPS, AT):
        handler = UMockdev.IoctlBase()
        handler.connect("handle-ioctl", lock)
        testbed.attach_ioctl(f"/dev/ttyUSB{port}", handler)
        handlers.append(handler)
    for port, body in ((AT, serve_commands), (GPS, send_positions)):
        threading.Thread(target=body, args=(testbed.get_dev_fd(f"/dev/ttyUSB{port}"),), daemon=True).start()
    subprocess.Popen(["/usr/sbin/ModemManager"])

    def scan():
        subprocess.call(["mmcli", "-S"])
        return False

    def unplug():
        for port in (GPS, AT):
            testbed.uevent(f"/sys{USB}/1-1:1.{port}/ttyUSB{port}/tty/ttyUSB{port}", "remove")
        testbed.uevent(f"/sys{USB}", "remove")
        return True

    GLib.timeout_add(1000, scan)
    GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, signal.SIGUSR1, unplug)
    GLib.MainLoop().run()


main()
