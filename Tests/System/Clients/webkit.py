#!/usr/bin/python3
"""A browser of WebKitGTK that lets every page know what it asks for: webkit.py URL."""
import sys

import gi

gi.require_version("Gtk", "3.0")
gi.require_version("WebKit2", "4.1")
from gi.repository import Gtk, WebKit2  # noqa: E402


def begin(application):
    window, view = Gtk.ApplicationWindow(application=application), WebKit2.WebView()
    view.connect("permission-request", lambda view, request: request.allow() or True)
    window.add(view)
    view.load_uri(sys.argv[1])
    window.show_all()


browser = Gtk.Application(application_id="org.example.Browser")
browser.connect("activate", begin)
browser.run()
