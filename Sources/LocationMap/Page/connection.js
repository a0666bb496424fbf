// The page's line to the program: one event stream down, batches of messages up.

const EVENTS = ["state", "map", "camera", "controls", "user", "tracking", "overlays", "views", "selected", "prompt", "notice", "end"];
const HIDDEN_FOR = 10_000;
const RETRY_AFTER_END = 5_000;
const BATCH = 64;

/** Hands each event to `receive(name, value)` and says with `changed(state)` how the line is: open, lost, ended. */
export class Connection {
  #receive;
  #changed;
  #source = null;
  #page = null;
  #outbox = [];
  #isSending = false;
  #sleep = null;
  #retry = null;
  #state = "opening";
  /** The newest revision that was received, for `idle`. */
  revision = 0;

  constructor(receive, changed) {
    this.#receive = receive;
    this.#changed = changed;
    document.addEventListener("visibilitychange", () => this.#visibilityChanged());
    addEventListener("pagehide", () => this.#close());
    addEventListener("pageshow", (event) => { if (event.persisted) this.open(); });
  }

  /** The name the program knows this page by, until the line breaks. */
  get page() { return this.#page; }

  open() {
    this.#close();
    const source = new EventSource("events");
    this.#source = source;
    for (const name of EVENTS) source.addEventListener(name, (event) => this.#received(source, name, event));
    source.addEventListener("error", () => this.#failed(source));
  }

  #received(source, name, event) {
    if (source !== this.#source) return;
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
    // An answer that is no stream: the program is another one by now, or there is none.
    this.#set("ended");
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => this.open(), RETRY_AFTER_END);
  }

  #set(state) {
    if (this.#state === state) return;
    this.#state = state;
    this.#changed(state);
  }

  #close() {
    clearTimeout(this.#retry);
    this.#source?.close();
    this.#source = null;
    this.#page = null;
  }

  // Browsers allow six connections to one host: a page nobody sees gives its own back.
  #visibilityChanged() {
    clearTimeout(this.#sleep);
    if (document.hidden) this.#sleep = setTimeout(() => this.#close(), HIDDEN_FOR);
    else if (!this.#source) this.open();
  }

  /** Queues a message. Of those that are out of date once a newer one is there, only the newest is sent. */
  send(message) {
    if (!this.#page) return;
    const replaces = (other) => other.type === message.type && (
      (message.type === "camera" && other.isMoving && other.sequence === undefined) ||
      (message.type === "drag" && other.id === message.id && other.state === "move" && message.state === "move") ||
      message.type === "viewport" || message.type === "idle");
    if (this.#outbox.length && replaces(this.#outbox.at(-1))) this.#outbox.pop();
    this.#outbox.push(message);
    if (!this.#isSending) queueMicrotask(() => this.#flush());
  }

  async #flush() {
    if (this.#isSending) return;
    this.#isSending = true;
    try {
      while (this.#outbox.length && this.#page) await this.#post(this.#page, this.#outbox.splice(0, BATCH));
    } finally {
      this.#isSending = false;
    }
  }

  async #post(page, messages) {
    try {
      const answer = await fetch("messages", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ page, messages }),
      });
      // 409: the program has forgotten this page, and a new stream makes it known again.
      if (answer.status === 409 && page === this.#page) this.open();
      else if (!answer.ok) console.warn(`The map's program answered ${answer.status} to ${messages.map((one) => one.type)}.`);
    } catch {
      // The program is gone: the event stream notices as well, says so and reconnects.
    }
  }
}
