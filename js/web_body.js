// Bodies of requests and responses: Blob, File, FormData, ReadableStream.
(host, web) => {
  "use strict";
  const { view, TextEncoder, TextDecoder, DOMException } = web;
  const utf8 = new TextEncoder();

  const joined = (parts) => {
    const all = new Uint8Array(parts.reduce((n, p) => n + p.length, 0));
    let at = 0;
    for (const p of parts) {
      all.set(p, at);
      at += p.length;
    }
    return all;
  };

  const isBytes = (x) => x instanceof ArrayBuffer || ArrayBuffer.isView(x);
  const copied = (x) => new Uint8Array(...view(x)).slice();

  class Blob {
    #bytes;
    #type;
    constructor(parts = [], options = {}) {
      if (typeof parts !== "object" || typeof parts?.[Symbol.iterator] !== "function") {
        throw new TypeError("Blob: want a list of parts");
      }
      this.#bytes = joined([...parts].map((p) => {
        if (p instanceof Blob) return p.#bytes;
        return isBytes(p) ? new Uint8Array(...view(p)) : utf8.encode(String(p));
      }));
      const type = String(options.type ?? "");
      this.#type = /^[ -~]*$/.test(type) ? type.toLowerCase() : "";
    }
    get size() { return this.#bytes.length; }
    get type() { return this.#type; }
    slice(from = 0, to = this.size, type = "") {
      return new Blob([this.#bytes.slice(from, to)], { type });
    }
    async arrayBuffer() { return this.#bytes.slice().buffer; }
    async bytes() { return this.#bytes.slice(); }
    async text() { return new TextDecoder().decode(this.#bytes); }
    stream() { return streamOf(this.#bytes.slice()); }
    [host.link]() { return this.#bytes; }
  }

  class File extends Blob {
    #name;
    #modified;
    constructor(parts, name, options = {}) {
      super(parts, options);
      this.#name = String(name);
      this.#modified = options.lastModified ?? Date.now();
    }
    get name() { return this.#name; }
    get lastModified() { return this.#modified; }
  }

  class FormData {
    #list = [];
    constructor(form) {
      if (form !== undefined) throw new TypeError("FormData: there are no forms here: use append");
    }
    #value(v, name) {
      if (!(v instanceof Blob)) return String(v);
      if (v instanceof File && name === undefined) return v;
      return new File([v], name ?? "blob", { type: v.type });
    }
    append(k, v, name) { this.#list.push([String(k), this.#value(v, name)]); }
    set(k, v, name) {
      const i = this.#list.findIndex((p) => p[0] === String(k));
      if (i < 0) return this.append(k, v, name);
      this.#list[i] = [String(k), this.#value(v, name)];
      this.#list = this.#list.filter((p, j) => j <= i || p[0] !== String(k));
    }
    delete(k) { this.#list = this.#list.filter((p) => p[0] !== String(k)); }
    get(k) { return this.#list.find((p) => p[0] === String(k))?.[1] ?? null; }
    getAll(k) { return this.#list.filter((p) => p[0] === String(k)).map((p) => p[1]); }
    has(k) { return this.#list.some((p) => p[0] === String(k)); }
    forEach(fn, self) { for (const [k, v] of this) fn.call(self, v, k, this); }
    *entries() { for (const [k, v] of this.#list) yield [k, v]; }
    *keys() { for (const [k] of this.#list) yield k; }
    *values() { for (const [, v] of this.#list) yield v; }
    [Symbol.iterator]() { return this.entries(); }
    // The form in the format in which it is sent. Source: RFC 7578; names are encoded as browsers
    // do.
    [host.link](boundary) {
      const quoted = (s) => s.replace(/\r\n|\r|\n/g, "%0D%0A").replace(/"/g, "%22");
      const parts = [];
      for (const [k, v] of this.#list) {
        let head = `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(k)}"`;
        let content;
        if (v instanceof Blob) {
          const type = v.type || "application/octet-stream";
          head += `; filename="${quoted(v.name)}"\r\nContent-Type: ${type}`;
          content = v[host.link]();
        } else {
          content = utf8.encode(v.replace(/\r\n|\r|\n/g, "\r\n"));
        }
        parts.push(utf8.encode(head + "\r\n\r\n"), content, utf8.encode("\r\n"));
      }
      parts.push(utf8.encode(`--${boundary}--\r\n`));
      return joined(parts);
    }
  }

  const letGo = () => new TypeError("the reader has let go of its stream");

  class ReadableStream {
    #source;
    #controller;
    #most; // how many chunks are queued before a reader takes them
    #queue = [];
    #waiting = [];
    #state = "readable"; // "closing": closed when the queue is empty; "closed"; "failed"
    #error;
    #reader = null;
    #ended = Promise.withResolvers(); // the promise behind closed
    #pulling = true; // true until start has ended
    #again = false; // a reader wants more while pull is running
    #used = false;
    constructor(source = {}, strategy = {}) {
      if (source.type !== undefined) {
        throw new TypeError(`ReadableStream: type: got ${source.type}: ` +
          "only streams of chunks are available");
      }
      this.#source = source;
      this.#most = strategy.highWaterMark ?? 1;
      this.#ended.promise.catch(() => {});
      const stream = this;
      this.#controller = {
        get desiredSize() {
          return stream.#state === "readable" ? stream.#most - stream.#queue.length : 0;
        },
        enqueue(chunk) { stream.#add(chunk); },
        close() { stream.#close(); },
        error(err) { stream.#fail(err); },
      };
      const started = source.start?.(this.#controller);
      Promise.resolve(started).then(() => {
        this.#pulling = false;
        this.#pull();
      }, (err) => this.#fail(err));
    }
    #add(chunk) {
      if (this.#state !== "readable") {
        throw new TypeError("ReadableStream: enqueue: the stream is closed");
      }
      if (this.#waiting.length > 0) this.#waiting.shift().resolve({ value: chunk, done: false });
      else this.#queue.push(chunk);
      this.#pull();
    }
    #close() {
      if (this.#state === "readable") this.#state = "closing";
      if (this.#state !== "closing" || this.#queue.length > 0) return;
      this.#state = "closed";
      for (const w of this.#waiting.splice(0)) w.resolve({ value: undefined, done: true });
      this.#ended.resolve();
    }
    #fail(err) {
      if (this.#state === "closed" || this.#state === "failed") return;
      this.#state = "failed";
      this.#error = err;
      this.#queue = [];
      for (const w of this.#waiting.splice(0)) w.reject(err);
      this.#ended.reject(err);
    }
    #pull() {
      if (this.#state !== "readable") return;
      if (this.#waiting.length === 0 && this.#queue.length >= this.#most) return;
      if (typeof this.#source.pull !== "function") return;
      if (this.#pulling) {
        this.#again = true;
        return;
      }
      this.#pulling = true;
      new Promise((done) => done(this.#source.pull(this.#controller))).then(() => {
        this.#pulling = false;
        if (!this.#again) return;
        this.#again = false;
        this.#pull();
      }, (err) => this.#fail(err));
    }
    #read() {
      this.#used = true;
      if (this.#queue.length > 0) {
        const value = this.#queue.shift();
        if (this.#state === "closing") this.#close();
        else this.#pull();
        return Promise.resolve({ value, done: false });
      }
      if (this.#state === "failed") return Promise.reject(this.#error);
      if (this.#state === "closed") return Promise.resolve({ value: undefined, done: true });
      const w = Promise.withResolvers();
      this.#waiting.push(w);
      this.#source[host.link]?.();
      this.#pull();
      return w.promise;
    }
    async #cancel(reason) {
      this.#used = true;
      if (this.#state === "failed") throw this.#error;
      if (this.#state === "closed") return;
      this.#state = "closing";
      this.#queue = [];
      this.#close();
      await this.#source.cancel?.(reason);
    }
    get locked() { return this.#reader !== null; }
    get [host.link]() { return this.#used; }
    async cancel(reason) {
      if (this.locked) throw new TypeError("ReadableStream: cancel: the stream has a reader");
      return await this.#cancel(reason);
    }
    getReader(options = {}) {
      if (options.mode !== undefined) {
        throw new TypeError(`getReader: mode: got ${options.mode}: only chunks can be read`);
      }
      if (this.locked) throw new TypeError("ReadableStream: the stream has a reader");
      const stream = this;
      const own = () => {
        if (stream.#reader !== reader) throw letGo();
      };
      const reader = {
        async read() { own(); return await stream.#read(); },
        async cancel(reason) { own(); return await stream.#cancel(reason); },
        releaseLock() {
          if (stream.#reader !== reader) return;
          stream.#reader = null;
          for (const w of stream.#waiting.splice(0)) w.reject(letGo());
        },
        get closed() { return stream.#ended.promise; },
      };
      this.#reader = reader;
      return reader;
    }
    values({ preventCancel = false } = {}) {
      const reader = this.getReader();
      return {
        async next() {
          const r = await reader.read();
          if (r.done) reader.releaseLock();
          return r;
        },
        async return(value) {
          if (!preventCancel) await reader.cancel(value);
          reader.releaseLock();
          return { value, done: true };
        },
        [Symbol.asyncIterator]() { return this; },
      };
    }
    [Symbol.asyncIterator]() { return this.values(); }
    tee() {
      const reader = this.getReader();
      const both = [];
      let left = 2;
      const pull = async () => {
        const { value, done } = await reader.read();
        for (const c of both) {
          if (done) c.close();
          else if (!c.gone) c.enqueue(value);
        }
      };
      const half = (i) => new ReadableStream({
        start(c) { both[i] = c; },
        pull: () => pull().catch((err) => { for (const c of both) c.error(err); }),
        cancel: async (reason) => {
          both[i].gone = true;
          if (--left === 0) await reader.cancel(reason);
        },
      }, { highWaterMark: 0 });
      return [half(0), half(1)];
    }
    pipeThrough(change) {
      if (typeof change?.[host.link] !== "function") {
        throw new TypeError("pipeThrough: want a TextDecoderStream or a TextEncoderStream: " +
          "for anything else, read the stream with for await");
      }
      return change[host.link](this);
    }
    pipeTo() {
      throw new TypeError("pipeTo: there are no streams to write to: read this one with for await");
    }
    static from(list) {
      const it = list[Symbol.asyncIterator]?.() ?? list[Symbol.iterator]();
      return new ReadableStream({
        async pull(c) {
          const { value, done } = await it.next();
          if (done) c.close();
          else c.enqueue(await value);
        },
        cancel: (reason) => it.return?.(reason),
      }, { highWaterMark: 0 });
    }
  }

  const streamOf = (bytes) => new ReadableStream({
    start(c) {
      if (bytes.length > 0) c.enqueue(bytes);
      c.close();
    },
  });

  // piped returns a stream of take(chunk) for each chunk of another stream, and then end(). It
  // leaves out "".
  const piped = (stream, take, end) => {
    const reader = stream.getReader();
    const out = (c, x) => { if (x.length > 0) c.enqueue(x); };
    return new ReadableStream({
      async pull(c) {
        const { value, done } = await reader.read();
        out(c, done ? end() : take(value));
        if (done) c.close();
      },
      cancel: (reason) => reader.cancel(reason),
    }, { highWaterMark: 0 });
  };

  class TextDecoderStream {
    #decoder;
    constructor(label, options) { this.#decoder = new TextDecoder(label, options); }
    [host.link](stream) {
      const decoder = this.#decoder;
      const take = (chunk) => decoder.decode(chunk, { stream: true });
      return piped(stream, take, () => decoder.decode());
    }
  }

  class TextEncoderStream {
    [host.link](stream) { return piped(stream, (chunk) => utf8.encode(String(chunk)), () => ""); }
  }

  Object.assign(web, {
    Blob, File, FormData, ReadableStream, TextDecoderStream, TextEncoderStream, isBytes, copied,
    joined, streamOf,
  });
}
