// This file runs web.js and the other files of the web API, and gives them the Go functions they
// need.

package js

import (
	_ "embed" // for web.js and the other files
	"net/http"
	"sync"
	"time"

	"github.com/dop251/goja"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/packed"

	"github.com/agentscripts/agent/engine/vm"
)

type webFile struct {
	name  string
	names []string
}

// webFiles are the files of the web API and the globals that each makes. A file may need the
// previous ones.
var webFiles = [...]webFile{
	{"web.js", []string{"AbortController", "AbortSignal", "CustomEvent", "DOMException", "Event",
		"EventTarget", "TextDecoder", "TextEncoder", "crypto", "performance", "structuredClone"}},
	{"web_url.js", []string{"URL", "URLSearchParams"}},
	{"web_body.js", []string{"Blob", "File", "FormData", "ReadableStream", "TextDecoderStream",
		"TextEncoderStream"}},
	{"web_fetch.js", []string{"Headers", "Request", "Response", "fetch"}},
}

//go:generate env UPDATE=1 go test . -run TestWebSources

// packedWeb has the files by name, compressed.
//
//go:embed web.gz
var packedWeb string

var webSources = sync.OnceValue(func() map[string]string { return packed.Texts(packedWeb) })

// webName is the name of the files in stacks. It is not a file of the script.
const webName = "web"

// compileWeb returns a function that compiles a file at its first use, for all interpreters.
func compileWeb() func(file int) *goja.Program {
	var all [len(webFiles)]func() *goja.Program
	for i, f := range webFiles {
		all[i] = sync.OnceValue(func() *goja.Program {
			return goja.MustCompile(webName, webSources()[f.name], true)
		})
	}
	return func(file int) *goja.Program { return all[file]() }
}

// web is the web API of a VM.
type web struct {
	realm    *realm
	rt       *goja.Runtime // that of realm
	buffers  *buffers
	compiled func(file int) *goja.Program
	now      func() time.Time
	random   vm.Random
	values   *values
	failures *failures
	// request returns the function that starts a request of fetch, nil if scripts have no network.
	request func() func(goja.FunctionCall) goja.Value

	host *goja.Object // the first argument of the files; nil = none has run
	made *goja.Object // what the files have made
	ran  int          // number of files that have run
	link *goja.Symbol // for members that the files share and scripts do not see
	// abortKey is the key of the method that aborts an AbortSignal; nil = no file has run.
	abortKey *goja.Symbol
}

// setWebGlobals sets the globals of the web API. A file runs when the script first reads one of its
// names. atob and btoa are Go functions.
func (w *web) setWebGlobals() {
	for i, file := range webFiles {
		makeValue := func(name string) goja.Value {
			w.runWeb(i)
			return w.made.Get(name)
		}
		for _, name := range file.names {
			w.realm.setLazy(name, makeValue)
		}
	}
	w.realm.global("atob", w.realm.native("atob", func(call goja.FunctionCall) goja.Value {
		return w.atob(w.webText(call.Argument(0)))
	}))
	w.realm.global("btoa", w.realm.native("btoa", func(call goja.FunctionCall) goja.Value {
		return w.btoa(w.realm.text(call.Argument(0)))
	}))
}

// runWeb runs the files up to number last that have not run.
func (w *web) runWeb(last int) {
	if w.host == nil {
		w.abortKey, w.link = goja.NewSymbol("abort"), goja.NewSymbol("link")
		w.host, w.made = w.newHost(), w.rt.NewObject()
	}
	for ; w.ran <= last; w.ran++ {
		out, err := w.rt.RunProgram(w.compiled(w.ran))
		if err != nil {
			panic(err)
		}
		start, _ := goja.AssertFunction(out)
		if _, err = start(goja.Undefined(), w.host, w.made); err != nil {
			panic(err)
		}
		for _, name := range webFiles[w.ran].names {
			made := w.made.Get(name)
			if class, ok := made.(*goja.Object); ok && name != "fetch" &&
				class.Get("prototype") != nil {
				w.label(class, name)
			}
		}
	}
}

// label names the instances of a class of ours, and marks the class for structuredClone.
func (w *web) label(class *goja.Object, name string) {
	proto := class.Get("prototype").(*goja.Object)
	_ = proto.DefineDataPropertySymbol(goja.SymToStringTag, w.rt.ToValue(name), goja.FLAG_FALSE,
		goja.FLAG_TRUE, goja.FLAG_FALSE)
	_ = class.DefineDataPropertySymbol(w.link, w.rt.ToValue(true), goja.FLAG_FALSE,
		goja.FLAG_FALSE, goja.FLAG_FALSE)
}

// newHost returns the first argument of the files.
func (w *web) newHost() *goja.Object {
	host := w.rt.NewObject()
	set := func(name string, fn func(call goja.FunctionCall) goja.Value) {
		_ = host.Set(name, w.realm.native(name, fn))
	}
	text := func(call goja.FunctionCall, i int) string { return w.webText(call.Argument(i)) }
	_ = host.Set("abort", w.abortKey)
	_ = host.Set("link", w.link)
	_ = host.Set("setTimeout", w.rt.Get("setTimeout"))
	_ = host.Set("mostBody", mostBody)
	began := w.now()
	set("now", func(goja.FunctionCall) goja.Value {
		return w.rt.ToValue(float64(w.now().Sub(began).Microseconds()) / 1000)
	})
	if request := w.request(); request != nil {
		set("request", request)
	}
	set("statusText", func(call goja.FunctionCall) goja.Value {
		return w.rt.ToValue(http.StatusText(int(call.Argument(0).ToInteger())))
	})
	set("isSecret", func(call goja.FunctionCall) goja.Value {
		obj, ok := call.Argument(0).(*goja.Object)
		return w.rt.ToValue(ok && obj.ExportType() == secretType)
	})
	set("isForeign", func(call goja.FunctionCall) goja.Value {
		obj, ok := call.Argument(0).(*goja.Object)
		return w.rt.ToValue(ok && (exportView(obj) != nil || obj.ExportType() == proxyType))
	})
	set("copy", func(call goja.FunctionCall) goja.Value { return w.values.copy(call.Argument(0)) })
	set("parseURL", func(call goja.FunctionCall) goja.Value {
		return w.parseURL(w.urlText(call.Argument(0)), w.urlText(call.Argument(1)))
	})
	set("changeURL", func(call goja.FunctionCall) goja.Value {
		return w.changeURL(w.urlText(call.Argument(0)), text(call, 1), w.urlText(call.Argument(2)))
	})
	set("formEncode",
		func(call goja.FunctionCall) goja.Value {
			return w.rt.ToValue(
				formEncode(w.urlText(call.Argument(0))))
		})
	set("formDecode",
		func(call goja.FunctionCall) goja.Value {
			return w.rt.ToValue(
				formDecode(w.urlText(call.Argument(0))))
		})
	w.setCodec(set)
	return host
}

// fetchRequest makes the function that starts a request of fetch, nil if scripts have no network.
func (v *VM) fetchRequest() func(goja.FunctionCall) goja.Value {
	row := v.row("http.request")
	if row == nil {
		return nil
	}
	start := v.builtinNamed(row, "fetch")
	return func(call goja.FunctionCall) goja.Value { return v.webRequest(start, call) }
}

// webRequest starts a request for fetch. It returns the promise and the functions that fetch needs.
func (v *VM) webRequest(start goja.Value, call goja.FunctionCall) goja.Value {
	act := v.current
	promise := raw(start)(call)
	op := act.ops[len(act.ops)-1]
	out := v.rt.NewObject()
	set := func(name string, fn func(call goja.FunctionCall) goja.Value) {
		_ = out.Set(name, v.realm.native(name, fn))
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

// builtinNamed is builtin with another name in errors.
func (v *VM) builtinNamed(f *engine.Builtin, name string) goja.Value {
	row := *f.Row
	row.Name = name
	return v.builtin(&engine.Builtin{Row: &row, Func: f.Func, Bare: true})
}
