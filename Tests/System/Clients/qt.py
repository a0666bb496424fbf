#!/usr/bin/python3
"""Qt Positioning: qt.py 5|6 NAME prints `position LATITUDE LONGITUDE`, or `error` and its number."""
import sys

if sys.argv[1] == "5":
    from PyQt5.QtCore import QCoreApplication
    from PyQt5.QtPositioning import QGeoPositionInfoSource
else:
    from PyQt6.QtCore import QCoreApplication
    from PyQt6.QtPositioning import QGeoPositionInfoSource


def say(*words):
    print(*words, flush=True)


application = QCoreApplication(sys.argv)
application.setApplicationName(sys.argv[2])
source = QGeoPositionInfoSource.createSource("geoclue2", application)
source.positionUpdated.connect(
    lambda info: say("position", info.coordinate().latitude(), info.coordinate().longitude()))
# A PyQt5 class has two of that name, the signal and what it last told.
error = source.error if sys.argv[1] == "5" else source.errorOccurred
error.connect(lambda error: say("error", error))
source.setUpdateInterval(1000)
source.startUpdates()
(application.exec_ if sys.argv[1] == "5" else application.exec)()
