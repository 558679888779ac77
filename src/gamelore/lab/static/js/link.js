// The socket to the server: requests with answers, and what happens by itself.
// Message types and their fields come from the schema that the server makes.

const CLOSED = "the lab is closed: start gamelore lab again";

export class LabError extends Error {
  constructor(event) {
    super(event.message);
    this.setting = event.setting || "";
  }
}

class Link extends EventTarget {
  constructor() {
    super();
    this.welcome = null;
    this.connected = false;
    this.next = 1;
    this.pending = new Map();
    this.wait = 300;
  }

  async start() {
    const answer = await fetch("/schema.json");
    const schema = await answer.json();
    this.requests = new Set(schema.requests);
    this.events = new Set(schema.events);
    this.components = schema.components;
    this.connect();
    await new Promise((done) => this.addEventListener("Welcome", done, { once: true }));
  }

  connect() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    this.socket = new WebSocket(`${scheme}://${location.host}/ws`);
    this.socket.addEventListener("message", (message) => this.take(JSON.parse(message.data)));
    this.socket.addEventListener("close", () => this.lose());
  }

  lose() {
    this.connected = false;
    for (const { fail } of this.pending.values()) fail(new LabError({ message: CLOSED }));
    this.pending.clear();
    this.emit("lost");
    setTimeout(() => this.connect(), this.wait);
    this.wait = Math.min(5000, this.wait * 1.7);
  }

  emit(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }

  /** Have functions called by the names of events; returns what ends that. */
  listen(acts) {
    for (const [name, act] of Object.entries(acts)) this.addEventListener(name, act);
    return () => Object.entries(acts).forEach(([name, act]) => this.removeEventListener(name, act));
  }

  take(event) {
    if (!this.events.has(event.type)) {
      console.warn("unknown event", event.type);
      return;
    }
    if (event.type === "Welcome") {
      const again = this.welcome !== null && !this.connected;
      this.welcome = event;
      this.wait = 300;
      if (!this.connected) {
        this.connected = true;
        this.emit("connected", { again });
      }
    }
    const waiting = event.re ? this.pending.get(event.re) : null;
    if (waiting) {
      if (event.type === "Failure") {
        this.pending.delete(event.re);
        waiting.fail(new LabError(event));
        return;
      }
      if (!waiting.each) this.pending.delete(event.re);
      waiting.done(event);
    }
    this.emit(event.type, event);
  }

  check(type, fields) {
    if (!this.requests.has(type)) throw new Error(`no request ${type} in the schema`);
    const known = this.components[type];
    for (const name of Object.keys(fields))
      if (!(name in known.properties)) throw new Error(`${type} has no ${name}`);
    for (const name of known.required || [])
      if (name !== "type" && !(name in fields)) throw new Error(`${type} needs ${name}`);
  }

  post(type, fields, entry) {
    this.check(type, fields);
    const id = this.next++;
    if (entry) this.pending.set(id, entry);
    if (this.socket.readyState === WebSocket.OPEN)
      this.socket.send(JSON.stringify({ type, id, ...fields }));
    else if (entry) {
      this.pending.delete(id);
      entry.fail(new LabError({ message: CLOSED }));
    }
    return id;
  }

  /** One request, one answer. */
  ask(type, fields = {}) {
    return new Promise((done, fail) => this.post(type, fields, { done, fail, each: false }));
  }

  /** One request, many answers; returns what forgets the rest. */
  stream(type, fields, each, fail = () => {}) {
    const id = this.post(type, fields, { done: each, fail, each: true });
    return () => this.pending.delete(id);
  }
}

export const link = new Link();
