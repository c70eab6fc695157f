// Common JavaScript APIs that are not part of the language. This file and the other files of the
// web API run when a script first reads one of their names, in the script's own interpreter, so
// that all of their code can be interrupted. host has the Go functions that they need (see web.go),
// and web what they define.
(host, web) => {
  "use strict";

  // The legacy codes of error names. Source: Web IDL, "DOMException names".
  const codes = {
    InvalidCharacterError: 5,
    NotSupportedError: 9,
    InvalidStateError: 11,
    SyntaxError: 12,
    NetworkError: 19,
    AbortError: 20,
    TimeoutError: 23,
    DataCloneError: 25,
  };

  // hide sets a property that does not show in loops, and that scripts may change.
  const hide = (x, key, value) =>
    Object.defineProperty(x, key, { value, configurable: true, writable: true });

  class DOMException extends Error {
    constructor(message = "", options = "Error") {
      const given = typeof options === "object" && options !== null;
      const name = given ? options.name ?? "Error" : String(options);
      super(message);
      Object.defineProperty(this, "name", { value: name, configurable: true });
      Object.defineProperty(this, "code", { value: codes[name] ?? 0, configurable: true });
      if (options?.cause !== undefined) hide(this, "cause", options.cause);
    }
  }

  class Event {
    #prevented = false;
    #stopped = false;
    constructor(type, init = {}) {
      this.type = String(type);
      this.bubbles = Boolean(init.bubbles);
      this.cancelable = Boolean(init.cancelable);
      this.timeStamp = host.now();
      this.target = this.currentTarget = null;
    }
    get defaultPrevented() { return this.#prevented; }
    preventDefault() { this.#prevented = this.cancelable; }
    stopPropagation() {}
    stopImmediatePropagation() { this.#stopped = true; }
    [host.link]() { return this.#stopped; }
  }

  class CustomEvent extends Event {
    constructor(type, init = {}) {
      super(type, init);
      this.detail = init.detail ?? null;
    }
  }

  class EventTarget {
    #listeners = [];
    addEventListener(type, fn, options) {
      if (fn === null || fn === undefined) return;
      type = String(type);
      const o = typeof options === "object" && options !== null ? options : {};
      if (o.signal?.aborted || this.#listeners.some((l) => l.type === type && l.fn === fn)) return;
      this.#listeners.push({ type, fn, once: Boolean(o.once) });
      o.signal?.addEventListener("abort", () => this.removeEventListener(type, fn));
    }
    removeEventListener(type, fn) {
      type = String(type);
      this.#listeners = this.#listeners.filter((l) => l.type !== type || l.fn !== fn);
    }
    dispatchEvent(event) {
      if (!(event instanceof Event)) throw new TypeError("dispatchEvent: want an Event");
      event.target = event.currentTarget = this;
      const own = this[`on${event.type}`];
      for (const l of [{ type: event.type, fn: own }, ...this.#listeners]) {
        if (l.type !== event.type || event[host.link]()) continue;
        if (l.once) this.removeEventListener(l.type, l.fn);
        const fn = typeof l.fn === "function" ? l.fn : l.fn?.handleEvent;
        if (typeof fn !== "function") continue;
        try {
          fn.call(l.fn === fn ? this : l.fn, event);
        } catch (err) { // call the other listeners anyway
          queueMicrotask(() => { throw err; });
        }
      }
      return !event.defaultPrevented;
    }
  }

  class AbortSignal extends EventTarget {
    #aborted = false;
    #reason;
    onabort = null;
    get aborted() { return this.#aborted; }
    get reason() { return this.#reason; }
    throwIfAborted() { if (this.#aborted) throw this.#reason; }
    [host.abort](reason = new DOMException("This operation was aborted", "AbortError")) {
      if (this.#aborted) return;
      this.#aborted = true;
      this.#reason = reason;
      this.dispatchEvent(new Event("abort"));
    }
    static abort(reason) {
      const s = new AbortSignal();
      s[host.abort](reason);
      return s;
    }
    static timeout(ms) {
      const s = new AbortSignal();
      const late = "The operation was aborted due to timeout";
      host.setTimeout(() => s[host.abort](new DOMException(late, "TimeoutError")), ms);
      return s;
    }
    static any(signals) {
      const s = new AbortSignal();
      const all = [...signals];
      const first = all.find((x) => x.aborted);
      if (first) {
        s[host.abort](first.reason);
        return s;
      }
      for (const x of all) {
        x.addEventListener("abort", () => s[host.abort](x.reason), { once: true });
      }
      return s;
    }
  }

  class AbortController {
    #signal = new AbortSignal();
    get signal() { return this.#signal; }
    abort(reason) { this.#signal[host.abort](reason); }
  }

  // view returns the bytes of x: a buffer, an offset and a length.
  const view = (x) => {
    if (x instanceof ArrayBuffer) return [x, 0, x.byteLength];
    if (ArrayBuffer.isView(x)) return [x.buffer, x.byteOffset, x.byteLength];
    throw new TypeError("want an ArrayBuffer or a typed array");
  };

  class TextEncoder {
    get encoding() { return "utf-8"; }
    encode(text = "") { return new Uint8Array(host.utf8(String(text))); }
    encodeInto(text, into) {
      let read = 0, written = 0;
      for (const c of String(text)) {
        const bytes = this.encode(c);
        if (written + bytes.length > into.length) break;
        into.set(bytes, written);
        written += bytes.length;
        read += c.length;
      }
      return { read, written };
    }
  }

  class TextDecoder {
    #fatal;
    #keepMark;
    #held = new Uint8Array(0); // the bytes of an incomplete character at the end
    #begun = false; // whether the text has begun: a byte order mark was seen or cannot follow
    constructor(label = "utf-8", options = {}) {
      if (!/^(utf-?8|unicode-1-1-utf-8)$/i.test(String(label).trim())) {
        throw new RangeError(`TextDecoder: ${label} is not known, utf-8 is`);
      }
      this.#fatal = Boolean(options.fatal);
      this.#keepMark = Boolean(options.ignoreBOM);
    }
    get encoding() { return "utf-8"; }
    get fatal() { return this.#fatal; }
    get ignoreBOM() { return this.#keepMark; }
    decode(input, options) {
      let bytes = input === undefined ? new Uint8Array(0) : new Uint8Array(...view(input));
      if (this.#held.length > 0) {
        const all = new Uint8Array(this.#held.length + bytes.length);
        all.set(this.#held);
        all.set(bytes, this.#held.length);
        bytes = all;
      }
      const more = Boolean(options?.stream);
      const whole = more ? bytes.length - host.incomplete(...view(bytes)) : bytes.length;
      this.#held = bytes.slice(whole);
      let text;
      try {
        text = host.decode(bytes.buffer, bytes.byteOffset, whole, this.#fatal);
      } catch (err) {
        this.#held = new Uint8Array(0);
        this.#begun = false;
        throw err;
      }
      if (text !== "") {
        if (!this.#begun && !this.#keepMark && text[0] === "\uFEFF") text = text.slice(1);
        this.#begun = true;
      }
      if (!more) this.#begun = false;
      return text;
    }
  }

  const uncloneable = (what) => {
    throw new DOMException(`${what} could not be cloned`, "DataCloneError");
  };
  const errors = { Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };

  // stateful reports whether x has a state that cannot be copied.
  const stateful = (x) =>
    x instanceof Promise || x instanceof WeakMap || x instanceof WeakSet ||
    typeof x.constructor === "function" && x.constructor[host.link];

  const structuredClone = (value, options) => {
    if (options?.transfer !== undefined && [...options.transfer].length > 0) {
      uncloneable("structuredClone: what is to be transferred");
    }
    const seen = new Map();
    const into = (x, copy, fill) => {
      seen.set(x, copy);
      fill?.();
      return copy;
    };
    const fields = (x, copy) => into(x, copy, () => {
      const open = { writable: true, enumerable: true, configurable: true };
      for (const k of Object.keys(x)) {
        Object.defineProperty(copy, k, { value: clone(x[k]), ...open });
      }
    });
    const clone = (x) => {
      if (typeof x === "function") uncloneable(x.name ? `the function ${x.name}` : "a function");
      if (typeof x === "symbol") uncloneable(String(x));
      if (typeof x !== "object" || x === null) return x;
      if (seen.has(x)) return seen.get(x);
      if (host.isForeign(x)) return host.copy(x);
      if (Array.isArray(x)) {
        const copy = [];
        copy.length = x.length;
        return fields(x, copy);
      }
      if (x instanceof Date) return into(x, new Date(x.getTime()));
      if (x instanceof RegExp) return into(x, new RegExp(x.source, x.flags));
      if (x instanceof Map) {
        const copy = new Map();
        return into(x, copy, () => { for (const [k, v] of [...x]) copy.set(clone(k), clone(v)); });
      }
      if (x instanceof Set) {
        const copy = new Set();
        return into(x, copy, () => { for (const v of [...x]) copy.add(clone(v)); });
      }
      if (x instanceof ArrayBuffer) return into(x, x.slice(0));
      if (ArrayBuffer.isView(x)) {
        const length = x instanceof DataView ? x.byteLength : x.length;
        return into(x, new x.constructor(clone(x.buffer), x.byteOffset, length));
      }
      if (x instanceof Error) {
        const copy = new (errors[x.name] ?? Error)(String(x.message));
        hide(copy, "stack", String(x.stack ?? ""));
        if ("cause" in x) hide(copy, "cause", clone(x.cause));
        return into(x, copy);
      }
      if (x instanceof Boolean || x instanceof Number || x instanceof String) {
        return into(x, Object(x.valueOf()));
      }
      if (stateful(x)) uncloneable(`an instance of ${x.constructor.name}`);
      return fields(x, {});
    };
    return clone(value);
  };

  const crypto = {
    randomUUID: host.randomUUID,
    getRandomValues(array) { host.random(...view(array)); return array; },
    get subtle() {
      throw new TypeError("crypto.subtle is not available: ext.hash.sha256 makes hashes");
    },
  };
  Object.defineProperty(crypto, "subtle", { enumerable: false });

  const performance = {
    timeOrigin: Date.now() - host.now(),
    now: host.now,
    toJSON() { return { timeOrigin: this.timeOrigin }; },
  };

  Object.assign(web, {
    AbortController, AbortSignal, CustomEvent, DOMException, Event, EventTarget, TextDecoder,
    TextEncoder, crypto, performance, structuredClone, view,
  });
}
