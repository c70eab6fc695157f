package js

import (
	"runtime"
	"testing"

	"github.com/agentscripts/agent/engine/vm"
)

// TestRecursionInGo checks recursion in the interpreter's Go code that runs no instructions.
// Without a limit, each case ends the process or never ends.
func TestRecursionInGo(t *testing.T) {
	for _, b := range []struct{ body, want string }{
		{"const h = {}; const p = new Proxy({}, h); h.__proto__ = p; p.a", tooNested},
		{"const p = new Proxy({}, {}), o = Object.create(p); Object.setPrototypeOf(p, o)",
			"Cyclic"},
		{"const t = {}, p = new Proxy(t, {}); Object.setPrototypeOf(t, p); p.a", tooNested},
		{"const t = {}, p = new Proxy(t, {}); Object.setPrototypeOf(t, p); 'a' in p", tooNested},
		{"const t = {}, p = new Proxy(t, {}); t.__proto__ = p; p.a = 1", tooNested},
		{"const t = {}, { proxy } = Proxy.revocable(t, {}); t.__proto__ = proxy; t.a", tooNested},
		{"let p = {}; for (let i = 0; i < 1e4; i++) p = new Proxy(p, {}); p.a", tooNested},
		{"Object.setPrototypeOf(RegExp, RegExp)", "Cyclic"},
		{"Reflect.setPrototypeOf(Function.prototype, Function)", "Cyclic"},
		{"Function.prototype.__proto__ = Function", "Cyclic"},
	} {
		t.Run(b.body, func(t *testing.T) { wantThrow(t, b.body, b.want) })
	}
	t.Run("instanceof", func(t *testing.T) {
		for try := 1; !stops(t, "const t = {}, p = new Proxy(t, {}); t.__proto__ = p; "+
			"p instanceof RegExp"); try++ {
			if try == 5 {
				t.Fatal("not stopped")
			}
		}
	})
}

// TestProxiesWork checks that a guarded proxy behaves like a proxy.
func TestProxiesWork(t *testing.T) {
	h := newTestHost(t)
	h.load(`ext.command({ name: "f", run: () => {
  const seen = [];
  const p = new Proxy({ a: 1, b: [1] }, { get: (t, k, r) => (k === "z" ? r === p : t[k]) });
  const q = new Proxy([1, 2], {});
  q.push(3);
  class A { constructor(x) { this.x = x } }
  const f = new Proxy((a) => a * 2, { apply(t, self, args) { return t(...args) + 1 } });
  const B = new Proxy(A, {}), C = new Proxy(A, { construct: (t, a) => ({ x: -a[0] }) });
  class D extends B {}
  const w = new Proxy({}, { set(t, k, v) { t[k] = v * 2; return true },
    has: (t, k) => k === "q", deleteProperty: (t, k) => seen.push(k) > 0 });
  w.n = 4;
  delete w.gone;
  delete p.b;
  const { proxy, revoke } = Proxy.revocable({ v: 1 }, {});
  seen.push(proxy.v);
  revoke();
  try { proxy.v } catch (e) { seen.push(e.name) }
  try { new Proxy(1, {}) } catch (e) { seen.push(e.name) }
  try { Proxy({}, {}) } catch (e) { seen.push(e.name) }
  try { new Proxy({}, { get: 1 }).a } catch (e) { seen.push(e.name) }
  const own = Object.create(q);
  return JSON.stringify([p.z, p.a, q, Object.keys(p), "a" in p, f(4), new B(5).x, new C(5).x,
    new D(6).x, w.n, "q" in w, "n" in w, { ...p }, q.map((x) => x + 1), Array.isArray(q),
    new B(1) instanceof A, own.length, seen]);
} });`)
	const want = `[true,1,[1,2,3],["a"],true,9,5,-5,6,8,true,false,{"a":1},[2,3,4],true,true,3,` +
		`["gone",1,"TypeError","TypeError","TypeError","TypeError"]]`
	if got, err := h.run(vm.KindTool, "f"); got != want || err != nil {
		t.Errorf("got %v, %v\nwant %v", got, err, want)
	}
}

// TestBuffersWaitForTheWatchdog checks that a script cannot allocate gigabytes between two checks
// of the watchdog: allocating memory takes no time until it is used.
func TestBuffersWaitForTheWatchdog(t *testing.T) {
	h := newTestHostWith(t, 1)
	h.load("let n = 0; ext.command({ name: 'f', run: () => { const a = []; " +
		"for (;;) { n++; a.push(new Uint8Array(6e7)) } } }); " +
		"ext.command({ name: 'n', run: () => n });")
	// garbage of earlier tests that is freed meanwhile would hide what the script takes
	runtime.GC()
	if _, err := h.run(vm.KindTool, "f"); err == nil {
		t.Fatal("not stopped")
	}
	if n, err := h.run(vm.KindTool, "n"); err != nil || n.(float64) > 8 {
		t.Errorf("it took %v buffers of 60 MB, %v", n, err)
	}
}
