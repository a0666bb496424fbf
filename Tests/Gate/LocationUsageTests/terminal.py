"""A terminal with two jobs, like a shell's.

Prints the process ids of the jobs. Then takes commands, one a line, and answers each with "ok": `1` or `2` puts that
job into the foreground, `0` the shell itself; `close` hangs up the terminal, which the jobs survive; `end` ends all.
"""
import os
import pty
import signal
import sys


def job():
    """Starts an idle process in a process group of its own that survives the terminal."""
    ready, started = os.pipe()
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        os.closerange(0, 64)  # the other end of the terminal is among them, and `started`
        while True:
            signal.pause()
    os.close(started)
    os.read(ready, 1)
    os.close(ready)
    return child


def shell(commands, answers):
    """Runs with the terminal as its controlling terminal."""
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    jobs = [job(), job()]
    answers.write("%d %d\n" % tuple(jobs))
    answers.flush()
    for line in commands:
        command = line.strip()
        if command == "end":
            break
        if command == "close":
            os.close(pty_master)
        else:
            os.tcsetpgrp(0, [os.getpgrp(), *jobs][int(command)])
        answers.write("ok\n")
        answers.flush()
    for child in jobs:
        os.kill(child, signal.SIGKILL)


pty_master, pty_slave = pty.openpty()
commands, answers = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
if os.fork() == 0:
    os.setsid()
    os.close(os.open(os.ttyname(pty_slave), os.O_RDWR))  # makes it the controlling terminal
    os.dup2(pty_slave, 0)
    os.close(pty_slave)
    shell(commands, answers)
    os._exit(0)
os.close(pty_master)
os.close(pty_slave)
os.wait()
