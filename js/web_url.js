// URL and URLSearchParams. web_url.go parses and formats URLs for them.
(host, web) => {
  "use strict";

  const pairs = (init, what) => {
    if (init === undefined || init === null) return [];
    if (typeof init[Symbol.iterator] === "function") return [...init].map(([k, v]) => [k, v]);
    if (typeof init === "object") return Object.keys(init).map((k) => [k, init[k]]);
    throw new TypeError(`${what}: want an object or a list of pairs`);
  };

  class URLSearchParams {
    #list = [];
    #changed = () => {};
    constructor(init = "") {
      if (typeof init === "string") this.#parse(init);
      else this.#list = pairs(init, "URLSearchParams").map(([k, v]) => [String(k), String(v)]);
    }
    #parse(text) {
      this.#list = text.replace(/^\?/, "").split("&").filter((p) => p !== "").map((p) => {
        const i = p.indexOf("=");
        const [k, v] = i < 0 ? [p, ""] : [p.slice(0, i), p.slice(i + 1)];
        return [host.formDecode(k), host.formDecode(v)];
      });
    }
    // matches returns a function that reports whether a pair has this key, and this value if one is
    // given.
    #matches(k, v) {
      k = String(k);
      if (v === undefined) return (p) => p[0] === k;
      v = String(v);
      return (p) => p[0] === k && p[1] === v;
    }
    [host.link](text, changed) {
      this.#parse(text);
      this.#changed = changed;
      return this;
    }
    get size() { return this.#list.length; }
    append(k, v) {
      this.#list.push([String(k), String(v)]);
      this.#changed(this.toString());
    }
    delete(k, v) {
      const matches = this.#matches(k, v);
      this.#list = this.#list.filter((p) => !matches(p));
      this.#changed(this.toString());
    }
    get(k) { return this.#list.find(this.#matches(k))?.[1] ?? null; }
    getAll(k) { return this.#list.filter(this.#matches(k)).map((p) => p[1]); }
    has(k, v) { return this.#list.some(this.#matches(k, v)); }
    set(k, v) {
      const i = this.#list.findIndex((p) => p[0] === String(k));
      if (i < 0) return this.append(k, v);
      this.#list = this.#list.filter((p, j) => j === i || p[0] !== String(k));
      this.#list[i][1] = String(v);
      this.#changed(this.toString());
    }
    sort() {
      this.#list.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0));
      this.#changed(this.toString());
    }
    forEach(fn, self) { for (const [k, v] of this) fn.call(self, v, k, this); }
    *entries() { for (const [k, v] of this.#list) yield [k, v]; }
    *keys() { for (const [k] of this.#list) yield k; }
    *values() { for (const [, v] of this.#list) yield v; }
    [Symbol.iterator]() { return this.entries(); }
    toString() {
      return this.#list.map((pair) => pair.map((s) => host.formEncode(s)).join("=")).join("&");
    }
  }

  class URL {
    #p;
    #params;
    constructor(url, base = "") { this.#p = host.parseURL(String(url), String(base)); }
    static canParse(url, base) { return URL.parse(url, base) !== null; }
    static parse(url, base) {
      try { return new URL(url, base); } catch { return null; }
    }
    get href() { return this.#p.href; }
    set href(v) {
      this.#p = host.parseURL(String(v), "");
      this.#link();
    }
    #put(key, v) { this.#p = host.changeURL(this.#p.href, key, String(v)); }
    #set(key, v) {
      this.#put(key, v);
      this.#link();
    }
    // link gives searchParams, if there are any, the query of the URL, which they change.
    #link() { this.#params?.[host.link](this.search, (s) => { this.#put("search", s); }); }
    get origin() { return this.#p.origin; }
    get protocol() { return this.#p.protocol; }
    set protocol(v) { this.#set("protocol", v); }
    get username() { return this.#p.username; }
    set username(v) { this.#set("username", v); }
    get password() { return this.#p.password; }
    set password(v) { this.#set("password", v); }
    get host() { return this.#p.host; }
    set host(v) { this.#set("host", v); }
    get hostname() { return this.#p.hostname; }
    set hostname(v) { this.#set("hostname", v); }
    get port() { return this.#p.port; }
    set port(v) { this.#set("port", v); }
    get pathname() { return this.#p.pathname; }
    set pathname(v) { this.#set("pathname", v); }
    get search() { return this.#p.search; }
    set search(v) { this.#set("search", v); }
    get hash() { return this.#p.hash; }
    set hash(v) { this.#set("hash", v); }
    get searchParams() {
      if (!this.#params) {
        this.#params = new URLSearchParams();
        this.#link();
      }
      return this.#params;
    }
    toString() { return this.href; }
    toJSON() { return this.href; }
  }

  Object.assign(web, { pairs, URL, URLSearchParams });
}
