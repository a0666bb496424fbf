#!/usr/bin/python3
"""A window of WebKitGTK that lets every page know what it asks for: webkit.py URL."""
import sys

import gi

gi.require_version("Gtk", "3.0")
gi.require_version("WebKit2", "4.1")
from gi.repository import GLib, Gtk, WebKit2  # noqa: E402

GLib.set_prgname("webkit")
window, view = Gtk.Window(), WebKit2.WebView()
view.connect("permission-request", lambda view, request: request.allow() or True)
window.add(view)
view.load_uri(sys.argv[1])
window.show_all()
window.connect("destroy", Gtk.main_quit)
Gtk.main()
