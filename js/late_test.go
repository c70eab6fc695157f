package js

import (
	"strings"
	"testing"
)

// found is a result whose fields are converted late.
type found struct{}

func (found) Constant() {}

func (found) Keys() []string { return []string{"name", "none", "list", "table", "absent", "n"} }

func (found) Get(key string) (any, bool) {
	switch key {
	case "name":
		return "é", true
	case "none":
		return nil, true
	case "list":
		return []any{"a", map[string]any{"b": 1.0}}, true
	case "table":
		return map[string]any{"x": []any{}}, true
	case "n":
		return 1.0, true
	}
	return nil, false
}

// TestLate does things to an object that is converted late and to the same one as the interpreter makes it: a script must not see which
// of them it has.
func TestLate(t *testing.T) {
	for _, body := range []string{
		"return JSON.stringify(o)",
		"return JSON.stringify(o, ['n', 'name'])",
		"return [Object.keys(o), Object.values(o), Object.entries(o), Object.getOwnPropertyNames(o)]",
		"const out = []; for (const k in o) out.push(k); return out",
		"const { name, ...rest } = o; return [name, rest, { ...o, n: 2 }, Object.assign({}, o)]",
		"o.name = 1; o.extra = 2; delete o.none; return [Object.keys(o), o, 'none' in o, o.none === undefined]",
		"o.n += 1; o.n++; o.name += 'x'; return [o.n, o.name]",
		"delete o.name; o.name = 1; return Object.keys(o)",
		"o[5] = 1; o[3] = 2; o['04'] = 3; return [Object.keys(o), o[5], o['3']]",
		"o.list.push(1); o.table.y = 2; return [o, o.list === o.list, o.list.length]",
		"const l = o.list, m = o.table; l.push(2); o.name = 'z'; return [l === o.list, m === o.table, o.list.length, Object.values(o).includes(l)]",
		"const l = o.list; o.list = [0]; return [l, o.list]",
		"const l = o.list; delete o.list; return [l, o.list === undefined]",
		"o.name = undefined; return ['name' in o, o.hasOwnProperty('name'), Object.keys(o)]",
		"return [delete o.nope, 'name' in o, 'nope' in o, 'absent' in o, 'none' in o, 'toString' in o, Object.hasOwn(o, 'n'), o.propertyIsEnumerable('n'), o.hasOwnProperty('toString')]",
		"return [o.nope === undefined, o.absent === undefined, o.none === null, o.nope?.x === undefined, typeof o, typeof o.toString]",
		"return [Object.getOwnPropertyDescriptor(o, 'name'), Object.getOwnPropertyDescriptor(o, 'absent') === undefined, Object.getOwnPropertyDescriptors(o)]",
		"return [Object.isExtensible(o), Object.isSealed(o), Object.isFrozen(o)]",
		"return [Object.getPrototypeOf(o) === Object.prototype, o.constructor === Object, o instanceof Object, String(o), Object.prototype.toString.call(o), Array.isArray(o)]",
		"Object.setPrototypeOf(o, { inherited: 1 }); o.own = 2; return [o.inherited, Object.keys(o), 'inherited' in o]",
		"o.__proto__ = { inherited: 1 }; o.own = 2; return [o.inherited, o.own, Object.keys(o)]",
		"const c = Object.create(o); c.name = 1; c.fresh = 2; return [o.name, c.name, c.n, Object.keys(c), Object.keys(o)]",
		"return [new Map([[o, 1]]).get(o), new Set([o, o]).size, new WeakMap([[o, 2]]).get(o), [o].includes(o), [1, o].indexOf(o), o === o, o == o]",
		"return [ext.copy(o), ext.copy([o]), structuredClone(o)]",
		"o.n = 7; return ext.copy(o)",
		"return [await o, await Promise.resolve(o)]",
		"const p = new Proxy(o, { get: (t, k) => k === 'n' ? 9 : t[k] }); return [p.n, p.name, Object.keys(p), 'n' in p, JSON.stringify(p)]",
		"const keys = []; for (const k in o) { keys.push(k); delete o.table; o.later = 1; } return keys",
		"with_: { if (o.n) break with_; } const { list: [a, { b }], ...others } = o; return [a, b, others]",
		"o.self = o; try { JSON.stringify(o) } catch (e) { return e instanceof TypeError }",
		"o.self = o; try { ext.copy(o) } catch (e) { return e.message }",
		"o.f = () => 1; return o.f() + o.n",
		"return [[o, { n: 0 }].sort((a, b) => a.n - b.n).map((x) => x.n), Object.groupBy?.([o], (x) => x.n) ?? {}]",
		"return `${o.name}${o.list}`",
		"o.toString = () => 's'; o.toJSON = () => 'j'; return [`${o}`, JSON.stringify(o)]",
		"ext.log.info(o); return o",
		"throw o",
		// What a late object has no part in.
		"return [Object.freeze(o) === o, Object.isFrozen(o), (() => { try { o.n = 2 } catch (e) { return e.message } })(), o.n]",
		"Object.seal(o); try { delete o.n } catch (e) { return [e.message, o] }",
		"Object.preventExtensions(o); try { o.fresh = 1 } catch (e) { return [e.message, o] }",
		"const s = Symbol('s'); o[s] = 1; return [o[s], Object.keys(o), s in o]",
		"Object.defineProperty(o, 'hidden', { value: 1 }); Object.defineProperty(o, 'n', { get() { return this.hidden + 1 } }); return [o.n, o.hidden, Object.keys(o)]",
		"Object.defineProperties(o, { hidden: { value: 1 } }); return [o.hidden, Object.keys(o)]",
		"return [Reflect.ownKeys(o), Reflect.set(o, 'n', 2), Reflect.defineProperty(o, 'h', { value: 1 }), Reflect.preventExtensions(o), o]",
		"Error.captureStackTrace?.(o); return [typeof o.stack, Object.keys(o)]",
	} {
		t.Run(body, func(t *testing.T) {
			got, gotErr := lateResult(t, "ext.shell.parse('')", body)
			want, wantErr := lateResult(t, "JSON.parse(JSON.stringify(ext.shell.parse('')))", body)
			if got != want || gotErr != wantErr {
				t.Errorf("got %s %s, want %s %s", got, gotErr, want, wantErr)
			}
		})
	}
}

// lateResult runs a body whose o is made by an expression, with nothing in the source but the two.
func lateResult(t *testing.T, made, body string) (result, failure string) {
	h := newTestHost(t)
	h.parsed = found{}
	got, err := h.eval("const o = " + made + "; " + body)
	if err != nil {
		failure = err.Error()
	}
	return jsonText(got) + strings.Join(h.logs, "\n"), failure
}

// TestLateIsLate: what the script does not read is not converted.
func TestLateIsLate(t *testing.T) {
	h := newTestHost(t)
	asked := &counted{}
	h.parsed = asked
	if got, err := h.eval("const o = ext.shell.parse(''); return [o.name, o.list[0]]"); err != nil || jsonText(got) != `["é","a"]` {
		t.Fatal(jsonText(got), err)
	}
	if want := "name list "; asked.keys != want {
		t.Errorf("the fields %qwere asked for, want %q", asked.keys, want)
	}
}

// counted remembers what it was asked.
type counted struct {
	found
	keys string
}

func (c *counted) Get(key string) (any, bool) {
	c.keys += key + " "
	return c.found.Get(key)
}
