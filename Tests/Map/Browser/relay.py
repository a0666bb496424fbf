"""A line between browser and server that can be cut: the browser takes it for its proxy."""

import socket
import threading


class Relay:
    """Hands on what comes for one address. While it is cut nothing listens, and what was open is broken."""

    def __init__(self, origin):
        self.origin = origin
        self.port = 0
        self._sockets = []
        self._lock = threading.Lock()
        self.mend()

    @property
    def proxy(self):
        """What a browser is told: also the loopback goes this way."""
        return {"server": f"http://127.0.0.1:{self.port}", "bypass": "<-loopback>"}

    def mend(self):
        listener = socket.create_server(("127.0.0.1", self.port))
        self.port = listener.getsockname()[1]
        self._sockets = [listener]
        threading.Thread(target=self._accept, args=[listener], daemon=True).start()

    def cut(self):
        with self._lock:
            for one in self._sockets:
                try:
                    one.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass  # The other side was faster.
                one.close()
            self._sockets = []

    def _accept(self, listener):
        while True:
            try:
                browser, _ = listener.accept()
            except OSError:
                return  # Cut.
            host, port = self.origin.removeprefix("http://").split(":")
            server = socket.create_connection((host, int(port)))
            with self._lock:
                if not self._sockets:
                    browser.close()
                    server.close()
                    return
                self._sockets += [browser, server]
            # A proxy is asked for whole addresses, a server for paths.
            whole = f" {self.origin}/".encode()
            for source, sink, change in [(browser, server, lambda data: data.replace(whole, b" /")), (server, browser, bytes)]:
                threading.Thread(target=self._pump, args=[source, sink, change], daemon=True).start()

    @staticmethod
    def _pump(source, sink, change):
        try:
            while data := source.recv(65536):
                sink.sendall(change(data))
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # Cut.
