// The connection to the program: a stream of events from it, and batches of messages to it.

const EVENTS = ["state", "map", "camera", "controls", "user", "tracking", "overlays", "views", "selected", "saved", "regions", "fleet", "prompt", "notice", "heartbeat", "end"];
const HIDDEN_FOR = 10_000;
// The program sends a heartbeat every three seconds.
const SILENCE = 10_000;
const RETRY_AFTER_END = 5_000;
const BATCH = 64;
// A little less than the program reads of one post, in bytes. A route of many points may need as much as all other messages.
const LARGEST_BATCH = 400_000;

/**
 * Passes each event to `receive(name, value)`, and the state of the connection to `changed(state)`: open, silent (the
 * program does not respond), lost, ended, or paused while the page is hidden. `events` are the names of the page's events.
 */
export class Connection {
  #receive;
  #changed;
  #events;
  #source = null;
  #page = null;
  #outbox = [];
  #isSending = false;
  #sleep = null;
  #retry = null;
  #watchdog = null;
  #lastHeard = 0;
  #state = "opening";
  /** The newest received revision, for `idle`. */
  revision = 0;

  constructor(receive, changed, events = EVENTS) {
    this.#receive = receive;
    this.#changed = changed;
    this.#events = events;
    document.addEventListener("visibilitychange", () => this.#visibilityChanged());
    addEventListener("pagehide", () => this.#close());
    addEventListener("pageshow", (event) => { if (event.persisted) this.open(); });
  }

  /** The page's name in the program, until the connection is lost. */
  get page() { return this.#page; }

  /** True if what the page shows is current. */
  get isLive() { return this.#state === "open"; }

  open() {
    this.#close();
    this.#lastHeard = performance.now();
    this.#watch();
    const source = new EventSource("events");
    this.#source = source;
    for (const name of this.#events) source.addEventListener(name, (event) => this.#received(source, name, event));
    source.addEventListener("error", () => this.#failed(source));
  }

  #received(source, name, event) {
    if (source !== this.#source) return;
    this.#lastHeard = performance.now();
    if (this.#state === "silent" && this.#page) this.#set("open");
    if (name === "heartbeat") return;
    const value = JSON.parse(event.data);
    if (name !== "user" && event.lastEventId) this.revision = Number(event.lastEventId);
    if (name === "state") {
      this.#page = value.page;
      this.#outbox = [];
      this.#set("open");
    }
    if (name === "end") this.#set("ended");
    this.#receive(name, value);
  }

  #failed(source) {
    if (source !== this.#source) return;
    this.#page = null;
    if (source.readyState !== EventSource.CLOSED) {
      if (this.#state !== "ended") this.#set("lost");
      return;
    }
    // The reply is not a stream: another program has this port, or none.
    this.#set("ended");
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => this.open(), RETRY_AFTER_END);
  }

  /** Reports a program that is hung: its connection stays open, and nothing comes. */
  #watch() {
    const left = SILENCE - (performance.now() - this.#lastHeard);
    if (left <= 0 && this.#state !== "lost" && this.#state !== "ended") this.#set("silent");
    this.#watchdog = setTimeout(() => this.#watch(), left > 0 ? left : SILENCE);
  }

  #set(state) {
    if (this.#state === state) return;
    this.#state = state;
    this.#changed(state);
  }

  #close() {
    clearTimeout(this.#retry);
    clearTimeout(this.#watchdog);
    this.#source?.close();
    this.#source = null;
    this.#page = null;
  }

  // Browsers allow six connections to a host, so a hidden page closes its own.
  #visibilityChanged() {
    clearTimeout(this.#sleep);
    if (document.hidden) {
      this.#sleep = setTimeout(() => {
        this.#close();
        this.#set("paused");
      }, HIDDEN_FOR);
    } else if (!this.#source) this.open();
  }

  /** Queues a message. Of messages that replace one another, only the newest is sent. */
  send(message) {
    if (!this.#page) return;
    const replaces = (other) => other.type === message.type && (
      (message.type === "camera" && other.isMoving && other.sequence === undefined) ||
      (message.type === "drag" && other.id === message.id && other.state === "move" && message.state === "move") ||
      message.type === "viewport" || message.type === "idle" || message.type === "fleet");
    if (this.#outbox.length && replaces(this.#outbox.at(-1))) this.#outbox.pop();
    this.#outbox.push(message);
    if (!this.#isSending) queueMicrotask(() => this.#flush());
  }

  async #flush() {
    if (this.#isSending) return;
    this.#isSending = true;
    try {
      while (this.#outbox.length && this.#page) await this.#post(this.#page, this.#outbox.splice(0, this.#countOfNext()));
    } finally {
      this.#isSending = false;
    }
  }

  /** The number of messages for the next post. */
  #countOfNext() {
    let size = 0;
    const past = this.#outbox.findIndex((message, index) => {
      size += new Blob([JSON.stringify(message)]).size;
      return index >= BATCH || (index > 0 && size > LARGEST_BATCH);
    });
    return past < 0 ? this.#outbox.length : past;
  }

  async #post(page, messages) {
    try {
      const answer = await fetch("messages", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ page, messages }),
      });
      // 409: the program no longer knows this page; a new stream registers it again.
      if (answer.status === 409 && page === this.#page) this.open();
      else if (!answer.ok) console.warn(`The map's program answered ${answer.status} to ${messages.map((one) => one.type)}.`);
    } catch {
      // The program has ended. The stream of events detects it, shows it and reconnects.
    }
  }
}
