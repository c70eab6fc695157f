// This file uses esbuild to rewrite syntax that the interpreter cannot parse: types, import and
// export, newer syntax.

package js

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path"
	"strings"

	"github.com/dop251/goja"
	"github.com/dop251/goja/parser"
	"github.com/evanw/esbuild/pkg/api"
	"github.com/go-sourcemap/sourcemap"

	"github.com/agentscripts/agent/engine/apart"
	"github.com/agentscripts/agent/engine/fault"
)

const (
	moduleHead = "(function (exports, require, module) {"
	asyncHead  = "(async function (exports, require, module) {"
)

const (
	// maxRewrite is the largest source that esbuild gets, in bytes. esbuild takes up to 6 KB of
	// stack for each level of nesting, and a level may be three bytes ("={}"). A larger source
	// could end the process. People write a tenth of this by hand.
	maxRewrite = 256 << 10
	// maxRewritten is the most bytes that esbuild may write. It adds its own functions, and its
	// syntax may be longer.
	maxRewritten = 4 * maxRewrite
)

// sourceMap maps positions in a translation to those in its source file.
type sourceMap = sourcemap.Consumer

// lacking is the syntax of ES2022 and later that the interpreter does not support.
var lacking = map[string]bool{"async-generator": false, "for-await": false, "using": false,
	"decorators": false, "dynamic-import": false}

// rewrite rewrites source text with esbuild and compiles it.
func rewrite(ctx context.Context, name string, src []byte, module bool) (*unit, error) {
	if len(src) > maxRewrite {
		return nil, &fault.ScriptError{Position: fault.Position{File: name},
			Message: fmt.Sprintf(
				"RangeError: the source has %d bytes, more than the %d that can be rewritten",
				len(src), maxRewrite),
			Hint: "types, import and export, await at the top level and newer syntax are " +
				"rewritten: move data out of the file"}
	}
	out, err := transform(ctx, name, src, api.FormatCommonJS)
	if err != nil {
		return nil, err
	}
	head, waits := moduleHead, topLevelAwait(out)
	if waits != nil {
		if module {
			return nil, at(name, src, *waits,
				"a module cannot wait while it loads: export an async function")
		}
		if out, err = transform(ctx, name, src, api.FormatESModule); err != nil {
			return nil, err
		}
		head = asyncHead
	}
	if len(out.Errors) > 0 {
		return nil, at(name, src, out.Errors[0], mistakeHint(ctx, name, src))
	}
	for _, w := range out.Warnings { // the warning about syntax that cannot work
		if w.ID == "empty-import-meta" {
			w.Text = "import.meta is not available"
			return nil, at(name, src, w, "ext.script has the name and the path of the script")
		}
	}
	if len(out.Code) > maxRewritten {
		return nil, refused(name,
			fmt.Errorf("RangeError: the source takes %d bytes when it is rewritten, more than %d",
				len(out.Code), maxRewritten))
	}
	origin, err := origins(out.Map, len(head))
	if err != nil {
		return nil, refused(name, err)
	}
	program, err := parseInside(name, head, string(out.Code), origin)
	if err != nil && waits != nil {
		waits.Text = "await at the top level does not go together with import and export"
		return nil, at(name, src, *waits, "await inside: export default async (ext) => { ... }")
	}
	if err != nil {
		return nil, syntaxError(name, src, err)
	}
	return &unit{program, true}, nil
}

// parseInside parses code as the body of the function that head opens. origin maps positions in the
// code to the source.
func parseInside(name, head, code string, origin *sourceMap) (*goja.Program, error) {
	if strings.HasPrefix(code, "#!") { // a comment only where a file begins
		code = "//" + code[2:]
	}
	tree, err := parser.ParseFile(nil, name, head+code+"\n})", 0, parser.WithDisableSourceMaps)
	var list parser.ErrorList
	if errors.As(err, &list) {
		for _, e := range list {
			if _, _, line, column, ok := origin.Source(e.Position.Line, e.Position.Column); ok {
				e.Position.Line, e.Position.Column = line, column
			}
		}
	}
	if err != nil {
		return nil, err
	}
	tree.File.SetSourceMap(origin)
	guardConcat(tree)
	return goja.CompileAST(tree, true)
}

// esbuild's helper for async generators has a bug: when return() leads into a finally block, each
// await in the block returns again, so that the rest of the block does not run. The helper is text
// in esbuild's output and no option changes it, so we correct the condition there: only yield*
// needs it. The helper is on its own lines, before those of the script. The test case wait_places
// fails if a new version of esbuild changes the helper.
const (
	returns     = `resume(k === "return" ? k : "next", v[1] ?`
	returnsOnce = `resume(k === "return" && v[1] ? k : "next", v[1] ?`
)

// sourceFile returns the name under which a file is translated, escaped as fileName expects it. It
// has no ending: for .mjs esbuild treats the default export of a module as all of its exports, as
// Node does.
func sourceFile(name string) string {
	return strings.ReplaceAll(url.PathEscape(path.Base(name)), ".", "%2E")
}

// transform runs esbuild on a source file. esbuild cannot be interrupted; if ctx ends first,
// transform returns and lets it run. Mistakes in the source are in the result.
func transform(ctx context.Context, name string, src []byte,
	format api.Format) (*api.TransformResult, error) {
	loader := api.LoaderJS
	if typed(name) {
		loader = api.LoaderTS
	}
	return transformAs(ctx, name, src, format, loader)
}

func transformAs(ctx context.Context, name string, src []byte, format api.Format,
	loader api.Loader) (*api.TransformResult, error) {
	r, err := apart.Run(ctx, func() (*api.TransformResult, error) {
		r := api.Transform(string(src), api.TransformOptions{
			LogLevel: api.LogLevelSilent, Sourcemap: api.SourceMapExternal,
			SourcesContent: api.SourcesContentExclude, Sourcefile: sourceFile(name),
			Target: api.ES2022, Supported: lacking, Format: format, Loader: loader,
			Charset: api.CharsetUTF8, TsconfigRaw: "{}",
		})
		r.Code = bytes.Replace(r.Code, []byte(returns), []byte(returnsOnce), 1)
		return &r, nil
	})
	var broken *apart.PanicError
	switch {
	case errors.As(err, &broken):
		return &api.TransformResult{Errors: []api.Message{
			{Text: fmt.Sprintf("cannot be translated: %v", broken.Value)}}}, nil
	case err != nil:
		return nil, refused(name, fmt.Errorf("the source takes too long to translate: %w", err))
	}
	return r, nil
}

// topLevelAwait returns esbuild's error about await at the top level, nil if there are no errors or
// other errors as well.
func topLevelAwait(r *api.TransformResult) *api.Message {
	for i, m := range r.Errors {
		if !strings.HasPrefix(m.Text, "Top-level await is currently not supported") {
			return nil
		}
		if i == len(r.Errors)-1 {
			return &r.Errors[0]
		}
	}
	return nil
}

// at converts an error message of esbuild.
func at(name string, src []byte, m api.Message, hint string) *fault.ScriptError {
	se := &fault.ScriptError{Position: fault.Position{File: name},
		Message: "SyntaxError: " + m.Text, Hint: hint}
	if l := m.Location; l != nil {
		se.Line, se.Column = l.Line, l.Column+1
	}
	if text := textHint(src); text != "" {
		se.Hint = text
	}
	return se
}

// mistakeHint returns a hint about the likely cause of mistakes in a JavaScript file: it may be
// TypeScript.
func mistakeHint(ctx context.Context, name string, src []byte) string {
	if typed(name) {
		return ""
	}
	if r, err := transformAs(ctx, name, src, api.FormatCommonJS, api.LoaderTS); err == nil &&
		len(r.Errors) == 0 {
		return "this is TypeScript: save it with the ending .ts"
	}
	return ""
}

// helpers is the source name for code that esbuild adds.
const helpers = "esbuild"

// origins reads a source map of esbuild for code that follows a head of some bytes. The map counts
// columns from 0, the interpreter, which uses it, from 1.
func origins(text []byte, head int) (*sourceMap, error) {
	var m map[string]any
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, err
	}
	mappings, _ := m["mappings"].(string)
	sources, _ := m["sources"].([]any)
	m["mappings"], m["sources"] = shift(mappings, head), append(sources, helpers)
	text, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	return sourcemap.Parse("", text)
}

// shift adds 1 to all columns of mappings, and head to those of the first line. Generated columns
// restart at each line; source and position are relative to the previous mapping. The code before
// the first mapping is mapped to helpers, the second source. An additional mapping after the last
// line makes the reader find the last one.
func shift(mappings string, head int) string {
	lines := strings.Split(mappings, ";")
	first := true
	for i, line := range lines {
		if line == "" {
			continue
		}
		segment, rest, more := strings.Cut(line, ",")
		fields := vlq(segment)
		fields[0]++
		if i == 0 {
			fields[0] += head
		}
		if first && len(fields) > 1 {
			fields[1]-- // undo toHelpers, which has moved the source column
			first = false
		}
		if lines[i] = vlqText(fields); more {
			lines[i] += "," + rest
		}
	}
	const toHelpers = "ACAC" // column 0: the second source, first line, second column
	if lines[0] = toHelpers + "," + lines[0]; lines[0] == toHelpers+"," {
		lines[0] = toHelpers
	}
	return strings.Join(lines, ";") + ";AAAA"
}

// digits are the base64 digits.
const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// vlq decodes numbers of a source map: groups of five bits, low ones first. The lowest bit is the
// sign.
func vlq(s string) []int {
	var out []int
	n, shift := 0, 0
	for i := range len(s) {
		d := strings.IndexByte(digits, s[i])
		n |= d & 31 << shift
		if shift += 5; d&32 != 0 {
			continue
		}
		if n&1 != 0 {
			n = -n
		}
		out = append(out, n/2)
		n, shift = 0, 0
	}
	return out
}

func vlqText(fields []int) string {
	var b strings.Builder
	for _, f := range fields {
		n := f * 2
		if f < 0 {
			n = -n | 1
		}
		for ; n > 31; n >>= 5 {
			b.WriteByte(digits[n&31|32])
		}
		b.WriteByte(digits[n])
	}
	return b.String()
}
