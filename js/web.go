// This file gives web.js to a script, and what it needs of Go.

package js

import (
	_ "embed" // for web.js and its kin
	"net/http"
	"slices"
	"sync"

	"github.com/dop251/goja"

	"github.com/agentscripts/agent/engine"
)

type webFile struct {
	source string
	names  []string
}

// webFiles are the files of the web, each with the globals that it makes. One may need those before
// it.
var webFiles = [...]webFile{
	{webSource, []string{"AbortController", "AbortSignal", "CustomEvent", "DOMException", "Event",
		"EventTarget", "TextDecoder", "TextEncoder", "crypto", "performance", "structuredClone"}},
	{webURLSource, []string{"URL", "URLSearchParams"}},
	{webBodySource, []string{"Blob", "File", "FormData", "ReadableStream", "TextDecoderStream",
		"TextEncoderStream"}},
	{webFetchSource, []string{"Headers", "Request", "Response", "fetch"}},
}

var (
	//go:embed web.js
	webSource string
	//go:embed web_url.js
	webURLSource string
	//go:embed web_body.js
	webBodySource string
	//go:embed web_fetch.js
	webFetchSource string
)

// webName is what the files of the web are called on a stack: no place of a script.
const webName = "web"

// compileWeb compiles a file of the web when it is first asked for, for all interpreters.
func compileWeb() func(file int) *goja.Program {
	var all [len(webFiles)]func() *goja.Program
	for i, f := range webFiles {
		all[i] = sync.OnceValue(func() *goja.Program {
			return goja.MustCompile(webName, f.source,
				true)
		})
	}
	return func(file int) *goja.Program { return all[file]() }
}

// web is what a VM has of the web.
type web struct {
	compiled func(file int) *goja.Program
	host     *goja.Object // what the files are given; nil: none was asked for
	made     *goja.Object // what they have made
	ran      int          // how many of them have run
	link     *goja.Symbol // of what they have of each other that scripts do not see
}

// setWeb sets the globals of the web: a file runs when the first of its names is read, since few
// scripts do that; a name that stands nowhere in the script is not set at all. And it sets atob and
// btoa, which are ours.
func (v *VM) setWeb() {
	g := v.rt.GlobalObject()
	for i, file := range webFiles {
		for _, name := range file.names {
			if !v.mentions(name) {
				continue
			}
			get := v.native(name, func(goja.FunctionCall) goja.Value {
				v.runWeb(i)
				return g.Get(name)
			})
			set := v.native(name, func(call goja.FunctionCall) goja.Value {
				v.global(name, call.Argument(0))
				return nil
			})
			_ = g.DefineAccessorProperty(name, get, set, goja.FLAG_TRUE, goja.FLAG_FALSE)
		}
	}
	v.global("atob",
		v.native("atob",
			func(call goja.FunctionCall) goja.Value { return v.atob(v.webText(call.Argument(0))) }))
	v.global("btoa",
		v.native("btoa",
			func(call goja.FunctionCall) goja.Value { return v.btoa(v.text(call.Argument(0))) }))
}

// usesWeb reports whether the script may use something of the web.
func (v *VM) usesWeb() bool {
	return slices.ContainsFunc(webFiles[:], func(f webFile) bool { return v.mentions(f.names...) })
}

// runWeb runs the files up to one, but those that have run, and sets what they make, but for names
// that the script has set meanwhile.
func (v *VM) runWeb(last int) {
	if v.web.host == nil {
		v.abortKey, v.web.link = goja.NewSymbol("abort"), goja.NewSymbol("link")
		v.web.host, v.web.made = v.webHost(), v.rt.NewObject()
	}
	for ; v.web.ran <= last; v.web.ran++ {
		out, err := v.rt.RunProgram(v.web.compiled(v.web.ran))
		if err != nil {
			panic(err)
		}
		start, _ := goja.AssertFunction(out)
		if _, err = start(goja.Undefined(), v.web.host, v.web.made); err != nil {
			panic(err)
		}
		for _, name := range webFiles[v.web.ran].names {
			made := v.web.made.Get(name)
			if class, ok := made.(*goja.Object); ok && name != "fetch" &&
				class.Get("prototype") != nil {
				v.label(class, name)
			}
			v.global(name, made)
		}
	}
}

// label makes instances of a class of ours tell their name, and be known to structuredClone.
func (v *VM) label(class *goja.Object, name string) {
	proto := class.Get("prototype").(*goja.Object)
	_ = proto.DefineDataPropertySymbol(goja.SymToStringTag, v.rt.ToValue(name), goja.FLAG_FALSE,
		goja.FLAG_TRUE, goja.FLAG_FALSE)
	_ = class.DefineDataPropertySymbol(v.web.link, v.rt.ToValue(true), goja.FLAG_FALSE,
		goja.FLAG_FALSE, goja.FLAG_FALSE)
}

// webHost is what web.js is given.
func (v *VM) webHost() *goja.Object {
	host := v.rt.NewObject()
	set := func(name string, fn func(call goja.FunctionCall) goja.Value) {
		_ = host.Set(name,
			v.native(name, fn))
	}
	text := func(call goja.FunctionCall, i int) string { return v.webText(call.Argument(i)) }
	_ = host.Set("abort", v.abortKey)
	_ = host.Set("link", v.web.link)
	_ = host.Set("setTimeout", v.rt.Get("setTimeout"))
	_ = host.Set("mostBody", mostBody)
	began := v.now()
	set("now", func(goja.FunctionCall) goja.Value {
		return v.rt.ToValue(float64(v.now().Sub(began).Microseconds()) / 1000)
	})
	if row := v.row("http.request"); row != nil {
		start := v.builtinNamed(row, "fetch")
		set("request", func(call goja.FunctionCall) goja.Value { return v.webRequest(start, call) })
	}
	set("statusText", func(call goja.FunctionCall) goja.Value {
		return v.rt.ToValue(http.StatusText(int(call.Argument(0).ToInteger())))
	})
	set("isSecret", func(call goja.FunctionCall) goja.Value {
		obj, ok := call.Argument(0).(*goja.Object)
		return v.rt.ToValue(ok && obj.ExportType() == secretType)
	})
	set("isForeign", func(call goja.FunctionCall) goja.Value {
		obj, ok := call.Argument(0).(*goja.Object)
		return v.rt.ToValue(ok && (exportView(obj) != nil || obj.ExportType() == proxyType))
	})
	set("copy", func(call goja.FunctionCall) goja.Value {
		p, err := v.plain(call.Argument(0), false)
		if err != nil {
			v.throw(err)
		}
		val, err := v.value(p)
		if err != nil {
			v.throw(err)
		}
		return val
	})
	set("parseURL", func(call goja.FunctionCall) goja.Value {
		return v.parseURL(v.urlText(call.Argument(0)), v.urlText(call.Argument(1)))
	})
	set("changeURL", func(call goja.FunctionCall) goja.Value {
		return v.changeURL(v.urlText(call.Argument(0)), text(call, 1), v.urlText(call.Argument(2)))
	})
	set("formEncode",
		func(call goja.FunctionCall) goja.Value {
			return v.rt.ToValue(
				formEncode(v.urlText(call.Argument(0))))
		})
	set("formDecode",
		func(call goja.FunctionCall) goja.Value {
			return v.rt.ToValue(
				formDecode(v.urlText(call.Argument(0))))
		})
	v.webCodec(set)
	return host
}

// webRequest begins a request for fetch: its promise, and what fetch tells and asks of it.
func (v *VM) webRequest(start goja.Value, call goja.FunctionCall) goja.Value {
	act := v.current
	promise := raw(start)(call)
	op := act.ops[len(act.ops)-1]
	out := v.rt.NewObject()
	set := func(name string, fn func(call goja.FunctionCall) goja.Value) {
		_ = out.Set(name,
			v.native(name, fn))
	}
	_ = out.Set("promise", promise)
	set("begun", func(goja.FunctionCall) goja.Value { op.begun = true; return nil })
	set("over", func(goja.FunctionCall) goja.Value {
		return v.rt.ToValue(act.over ||
			act.gone.Load())
	})
	set("watch", func(call goja.FunctionCall) goja.Value {
		v.watch(op,
			call.Argument(0).(*goja.Object))
		return nil
	})
	return out
}

// builtinNamed is builtin under another name in errors.
func (v *VM) builtinNamed(f *engine.Builtin, name string) goja.Value {
	row := *f.Row
	row.Name = name
	return v.builtin(&engine.Builtin{Row: &row, Func: f.Func, Bare: true})
}
