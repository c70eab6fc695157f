// Parts of the standard library that newer versions of the language have and the interpreter lacks.
// add sets each that is missing, noop does nothing.
(add, noop) => {
  "use strict";

  add(Promise, {
    withResolvers() {
      let resolve, reject;
      const promise = new this((yes, no) => { resolve = yes; reject = no; });
      return { promise, resolve, reject };
    },
    try(fn, ...args) { return new this((yes) => yes(fn(...args))); },
  });

  // that of the interpreter fails without a message where there is no toString
  const { toLocaleString } = { toLocaleString() { return this.toString(); } };
  Object.prototype.toLocaleString = toLocaleString;

  add(Array, {
    async fromAsync(list, change, self) {
      const out = [];
      const own = list[Symbol.asyncIterator]?.() ?? list[Symbol.iterator]?.();
      const it = own ?? Array.from(list).values();
      for (;;) {
        const { value, done } = await it.next();
        if (done) return out;
        const x = await value;
        out.push(change ? await change.call(self, x, out.length) : x);
      }
    },
  });

  add(Object, {
    groupBy(items, key) {
      const out = Object.create(null);
      let i = 0;
      for (const x of items) (out[key(x, i++)] ??= []).push(x);
      return out;
    },
  });

  add(Map, {
    groupBy(items, key) {
      const out = new Map();
      let i = 0;
      for (const x of items) {
        const k = key(x, i++);
        if (out.has(k)) out.get(k).push(x);
        else out.set(k, [x]);
      }
      return out;
    },
  });

  const count = (n) => {
    n = Math.trunc(Number(n));
    if (!(n >= 0)) throw new RangeError(`got ${n}, want a number that is not negative`);
    return n;
  };
  add(Object.getPrototypeOf(Object.getPrototypeOf([].values())), {
    map(fn) {
      if (typeof fn !== "function") throw new TypeError(`got ${typeof fn}, want a function`);
      return (function* (it) { let i = 0; for (const x of it) yield fn(x, i++); })(this);
    },
    filter(fn) {
      if (typeof fn !== "function") throw new TypeError(`got ${typeof fn}, want a function`);
      return (function* (it) { let i = 0; for (const x of it) if (fn(x, i++)) yield x; })(this);
    },
    flatMap(fn) {
      if (typeof fn !== "function") throw new TypeError(`got ${typeof fn}, want a function`);
      return (function* (it) { let i = 0; for (const x of it) yield* fn(x, i++); })(this);
    },
    take(n) {
      n = count(n);
      return (function* (it) {
        if (n <= 0) return;
        for (const x of it) {
          yield x;
          if (--n <= 0) return;
        }
      })(this);
    },
    drop(n) {
      n = count(n);
      return (function* (it) { for (const x of it) if (n > 0) n--; else yield x; })(this);
    },
    forEach(fn) { let i = 0; for (const x of this) fn(x, i++); },
    some(fn) { let i = 0; for (const x of this) if (fn(x, i++)) return true; return false; },
    every(fn) { let i = 0; for (const x of this) if (!fn(x, i++)) return false; return true; },
    find(fn) { let i = 0; for (const x of this) if (fn(x, i++)) return x; return undefined; },
    reduce(fn, ...first) {
      let i = 0, out = first[0], begun = first.length > 0;
      for (const x of this) {
        if (begun) out = fn(out, x, i);
        else { out = x; begun = true; }
        i++;
      }
      if (!begun) throw new TypeError("reduce of nothing, without a first value");
      return out;
    },
    toArray() { return [...this]; },
  });

  add(Error, { captureStackTrace: noop });
}
