// Headers, Request, Response, fetch.
(host, web) => {
  "use strict";
  const {
    pairs, URL, URLSearchParams, TextEncoder, TextDecoder, AbortController, AbortSignal, Blob,
    FormData, ReadableStream, isBytes, copied, joined, streamOf,
  } = web;

  const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

  class Headers {
    #map = new Map();
    constructor(init) { for (const [k, v] of pairs(init, "Headers")) this.append(k, v); }
    append(name, value) {
      const old = this.get(name);
      const alone = old === null || host.isSecret(value) || host.isSecret(old);
      this.set(name, alone ? value : `${old}, ${value}`);
    }
    set(name, value) {
      if (!token.test(name)) {
        throw new TypeError(`Headers: ${JSON.stringify(String(name))} is no name of a header`);
      }
      const key = String(name).toLowerCase();
      this.#map.set(key, host.isSecret(value) ? value : String(value).trim());
    }
    get(name) { return this.#map.get(String(name).toLowerCase()) ?? null; }
    has(name) { return this.#map.has(String(name).toLowerCase()); }
    delete(name) { this.#map.delete(String(name).toLowerCase()); }
    forEach(fn, self) { for (const [k, v] of this) fn.call(self, v, k, this); }
    *entries() { for (const k of [...this.#map.keys()].sort()) yield [k, this.#map.get(k)]; }
    *keys() { for (const [k] of this) yield k; }
    *values() { for (const [, v] of this) yield v; }
    [Symbol.iterator]() { return this.entries(); }
  }

  // bytesFrom returns the bytes of a body and its type, undefined if the body implies no type.
  const bytesFrom = (body) => {
    const encoded = () => new TextEncoder().encode(String(body));
    if (body instanceof URLSearchParams) {
      return [encoded(), "application/x-www-form-urlencoded;charset=UTF-8"];
    }
    if (body instanceof Blob) return [body[host.link](), body.type || undefined];
    if (body instanceof FormData) {
      const boundary = `----form-${host.randomUUID()}`;
      return [body[host.link](boundary), `multipart/form-data; boundary=${boundary}`];
    }
    if (isBytes(body)) return [copied(body), undefined];
    return [encoded(), "text/plain;charset=UTF-8"];
  };

  const readAlready = () => new TypeError("the body has been read already");

  class Body {
    #bytes = null;
    #stream = null;
    #used = false;
    #type;
    constructor(body) {
      if (body === undefined || body === null) return;
      if (body instanceof ReadableStream) {
        if (body.locked || body[host.link]) throw readAlready();
        this.#stream = body;
      } else {
        [this.#bytes, this.#type] = bytesFrom(body);
      }
    }
    get body() { return (this.#stream ??= this.#bytes && streamOf(this.#bytes)); }
    get bodyUsed() { return this.#used || Boolean(this.#stream?.[host.link]); }
    // The bytes, if they are known, and the type that the body implies.
    [host.link]() { return [this.#stream ? null : this.#bytes, this.#type]; }
    async #all() {
      if (this.bodyUsed || this.#stream?.locked) throw readAlready();
      if (this.#stream === null) {
        this.#used = this.#bytes !== null;
        return this.#bytes ?? new Uint8Array(0);
      }
      const parts = [];
      let n = 0;
      const reader = this.#stream.getReader();
      for (;;) {
        const { value, done } = await reader.read();
        if (done) break;
        const bytes = isBytes(value) ? value : new TextEncoder().encode(String(value));
        if ((n += bytes.byteLength) > host.mostBody) {
          await reader.cancel();
          throw new RangeError(`the body has more than ${host.mostBody} bytes: ` +
            "read it piece by piece, with for await (const chunk of response.body)");
        }
        parts.push(bytes);
      }
      return parts.length === 1 ? parts[0] : joined(parts);
    }
    async bytes() { return (await this.#all()).slice(); }
    async arrayBuffer() { return (await this.#all()).slice().buffer; }
    async text() { return new TextDecoder().decode(await this.#all()); }
    async json() { return JSON.parse(await this.text()); }
    async blob() {
      const type = this.headers.get("content-type") ?? "";
      return new Blob([await this.#all()], { type });
    }
    async formData() {
      const type = this.headers.get("content-type") ?? "";
      if (!/^application\/x-www-form-urlencoded/i.test(type)) {
        throw new TypeError(`formData: got the type ${type || "none"}: ` +
          "only application/x-www-form-urlencoded is read");
      }
      const form = new FormData();
      for (const [k, v] of new URLSearchParams(await this.text())) form.append(k, v);
      return form;
    }
    // Returns a second body with the same content.
    [host.abort]() {
      if (this.bodyUsed || this.#stream?.locked) throw readAlready();
      if (this.#stream === null) return this.#bytes;
      const [a, b] = this.#stream.tee();
      this.#stream = a;
      return b;
    }
  }

  const withType = (headers, body) => {
    const type = body[host.link]()[1];
    if (type !== undefined && !headers.has("content-type")) headers.set("content-type", type);
    return headers;
  };

  // The methods that are sent in capitals, however the script writes them.
  const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

  const methodFrom = (given) => {
    const method = String(given);
    if (!token.test(method)) {
      throw new TypeError(`fetch: method: got ${method}, ` +
        "want GET, POST, PUT, PATCH, DELETE, HEAD or OPTIONS");
    }
    const usual = method.toUpperCase();
    return methods.includes(usual) ? usual : method;
  };

  class Request extends Body {
    constructor(input, init = {}) {
      const from = input instanceof Request ? input : {};
      const inherits = from instanceof Request && from.body !== null;
      super(init.body ?? (inherits ? from[host.abort]() : null));
      const method = methodFrom(init.method ?? from.method ?? "GET");
      this.url = from.url ?? new URL(input).href;
      this.method = method;
      this.headers = withType(new Headers(init.headers ?? from.headers), this);
      this.signal = init.signal ?? from.signal ?? new AbortController().signal;
      this.redirect = init.redirect ?? from.redirect ?? "follow";
      if (this.redirect !== "follow") {
        throw new TypeError(`fetch: redirect: got ${this.redirect}, want follow`);
      }
      if (!(this.signal instanceof AbortSignal)) {
        throw new TypeError("fetch: signal: want an AbortSignal");
      }
      if (this.body !== null && (method === "GET" || method === "HEAD")) {
        throw new TypeError(`fetch: a ${method} request has no body`);
      }
    }
    clone() { return new Request(this, { body: this[host.abort]() }); }
  }

  class Response extends Body {
    constructor(body, init = {}) {
      super(body);
      const status = init.status ?? 200;
      const valid = Number.isInteger(status) && status >= 200 && status <= 599;
      if (!init[host.link] && !valid) {
        throw new RangeError(`Response: status: got ${status}, want 200 to 599`);
      }
      this.status = status;
      this.statusText = String(init.statusText ?? "");
      this.ok = status >= 200 && status < 300;
      this.headers = withType(new Headers(init.headers), this);
      this.url = init[host.link]?.url ?? "";
      this.redirected = Boolean(init[host.link]?.redirected);
      this.type = init[host.link]?.type ?? "default";
    }
    clone() {
      const { status, statusText, headers } = this;
      return new Response(this[host.abort](), { status, statusText, headers, [host.link]: this });
    }
    static json(data, init = {}) {
      const text = JSON.stringify(data);
      if (text === undefined) throw new TypeError("Response.json: the value is no JSON");
      const headers = new Headers(init.headers);
      if (!headers.has("content-type")) headers.set("content-type", "application/json");
      return new Response(text, { ...init, headers });
    }
    static error() { return new Response(null, { status: 0, [host.link]: { type: "error" } }); }
    static redirect(url, status = 302) {
      return new Response(null, { status, headers: { location: new URL(url).href } });
    }
  }

  // Headers that a request may not set: browsers also ignore them silently.
  const forbidden = new Set([
    "host", "connection", "content-length", "transfer-encoding", "upgrade", "te", "trailer",
    "keep-alive", "expect", "accept-encoding", "proxy-authorization", "proxy-connection",
  ]);

  // How many chunks of a response are queued for a reader before the transfer pauses. A chunk has
  // at most 32 KiB.
  const ahead = 64;

  // answer makes the Response when its head arrives; its body is a stream of the chunks that
  // follow. ctl aborts the request.
  const answer = (request, req, ctl, resolve, reject) => {
    let body = null;
    let go = () => {};
    const stop = (reason) => {
      go();
      ctl.abort(reason);
    };
    request.on_response = (r) => {
      op.begun();
      const stream = new ReadableStream({
        start(c) { body = c; },
        pull() { go(); },
        cancel: stop,
        [host.link]() {
          if (!op.over()) return;
          const over = "the handler that made the request has ended, and the request with it";
          body.error(new TypeError(over));
        },
      }, { highWaterMark: ahead });
      const none = req.method === "HEAD" || r.status === 204 || r.status === 304;
      const redirected = r.url !== req.url.replace(/#.*/, "");
      resolve(new Response(none ? null : stream, {
        status: r.status,
        statusText: host.statusText(r.status),
        headers: r.headers,
        [host.link]: { url: r.url, redirected, type: "basic" },
      }));
    };
    request.on_chunk = (chunk) => {
      body.enqueue(new Uint8Array(host.bytes(chunk)));
      if (body.desiredSize <= 0) return new Promise((free) => { go = free; });
    };
    const op = host.request(request);
    const aborted = () => {
      body?.error(req.signal.reason);
      stop(req.signal.reason);
    };
    req.signal.addEventListener("abort", aborted);
    op.promise.then((r) => {
      if (r.body) body.enqueue(new Uint8Array(host.bytes(r.body)));
      body.close();
    }, (err) => {
      reject(err);
      body?.error(err);
    }).then(() => req.signal.removeEventListener("abort", aborted));
    return op;
  };

  const fetch = (input, init) => {
    let req, headers = {};
    try {
      req = new Request(input, init);
      req.signal.throwIfAborted();
      for (const [k, v] of req.headers) if (!forbidden.has(k)) headers[k] = v;
    } catch (err) {
      return Promise.reject(err);
    }
    const ctl = new AbortController();
    const request = { url: req.url, method: req.method, headers, binary: true, signal: ctl.signal };
    const { promise, resolve, reject } = Promise.withResolvers();
    const send = (bytes) => {
      if (bytes) Object.assign(request, host.sent(...web.view(bytes)));
      return answer(request, req, ctl, resolve, reject);
    };
    const [bytes] = req[host.link]();
    if (bytes || req.body === null) send(bytes).watch(promise);
    else req.bytes().then(send).catch(reject);
    return promise;
  };

  Object.assign(web, { Headers, Request, Response, fetch });
}
