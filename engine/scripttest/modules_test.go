package scripttest_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/load"
	"github.com/agentscripts/agent/engine/scriptfile"
	"github.com/agentscripts/agent/engine/scripttest"
	"github.com/agentscripts/agent/engine/standard"
	"github.com/agentscripts/agent/js"
	"github.com/agentscripts/agent/lua"
)

// TestErrorsInModules checks that an error names the file of the module and the line in it in both
// languages. It ignores the column after LINE.
func TestErrorsInModules(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files      map[string]string
		want, hint string
	}{
		"thrown.lua": {map[string]string{"": "local x = require('lib/x')\nx.f()",
			"x.lua": "return { f = function()\n  error('boom')\nend }"}, "lib/x.lua:2: boom", ""},
		"thrown.js": {map[string]string{"": "const x = require('lib/x');\nx.f()",
			"x.js": "exports.f = () => {\n  throw new Error('boom');\n};"}, "lib/x.js:2: boom", ""},
		"thrown.ts": {map[string]string{"": "import { f } from 'lib/x';\nf(1 as number)",
			"x.ts": "export const f = (n: number): void => {\n  throw new Error('boom');\n};"},
			"lib/x.ts:2: boom", ""},
		"default.ts": {map[string]string{"": "import f, { b } from 'lib/x';\nf(b)",
			"x.ts": "export default (n: number): void => { throw new Error('boom' + n) " +
				"};\nexport const b = 2;"}, "lib/x.ts:1: boom2", ""},
		"default.mjs": {map[string]string{"": "import f, { b } from 'lib/x';\nf(b)",
			"x.mjs": "export default (n) => { throw new Error('boom' + n) };\nexport const b = 2;"},
			"lib/x.mjs:1: boom2", ""},
		"default.mts": {map[string]string{"": "import f from 'lib/x';\nf(1)",
			"x.mts": "export default (n: number): void => { throw new Error('boom' + n) };"},
			"lib/x.mts:1: boom1", ""},
		"deep.ts": {map[string]string{"": "import f from 'lib/d/x';\nf()",
			"d/x.js": "module.exports = () => require('lib/y').g()",
			"y.mjs":  "export function g() {\n\n  throw new Error('deep') }"}, "lib/y.mjs:3: deep",
			""},
		"top.lua": {map[string]string{"": "require('lib/x')", "x.lua": "\nlocal n = nil + 1"},
			"lib/x.lua:2: ", ""},
		"top.js": {map[string]string{"": "require('lib/x')",
			"x.js": "\nconst n = undefined.a"}, "lib/x.js:2: TypeError", ""},
		"syntax.lua": {map[string]string{"": "\nrequire('lib/x')",
			"x.lua": "return {\n  a = f(1\n}"}, "lib/x.lua:3: ", "( at line 2"},
		"syntax.js": {map[string]string{"": "\nrequire('lib/x')",
			"x.js": "module.exports = {\n  a: : 1,\n}"},
			"lib/x.js:2: SyntaxError: Unexpected \":\"", ""},
		"syntax.ts": {map[string]string{"": "\nimport x from 'lib/x'; x()",
			"x.ts": "export default (a: number => 1"}, "lib/x.ts:1: SyntaxError: Expected", ""},
		"circle.lua": {map[string]string{"": "require('lib/x')", "x.lua": "\nrequire('lib/y')",
			"y.lua": "require('lib/x')"},
			"lib/y.lua:1: require: lib/x requires itself: lib/x.lua > lib/y.lua > lib/x.lua", ""},
		"circle.js": {map[string]string{"": "require('lib/x')", "x.js": "\nrequire('lib/y')",
			"y.js": "require('lib/x')"},
			"lib/y.js:1: require: lib/x requires itself: lib/x.js > lib/y.js > lib/x.js", ""},
		"waits.lua": {map[string]string{"": "require('lib/x')", "x.lua": "\next.sleep(0.01)"},
			"lib/x.lua:2: ext.sleep waits, which the function that it is called in must not", ""},
		"waits.js": {map[string]string{"": "require('lib/x')", "x.js": "\next.sleep(0.01)"},
			"lib/x.js:2: ext.sleep waits, which the function that it is called in must not", ""},
		"await.js": {map[string]string{"": "require('lib/x')",
			"x.js": "\nawait ext.sleep(0.01)"}, "lib/x.js:2: SyntaxError: Top-level await",
			"export an async function"},
		"missing.lua": {map[string]string{"": "require('lib/xx')", "xy.lua": ""},
			`missing.lua:1: require: lib/xx: there is no such file (lib/xx.lua); did you mean ` +
				`"lib/xy"?`, ""},
		"missing.js": {map[string]string{"": "require('lib/xx')", "xy.js": ""},
			`missing.js:1: require: lib/xx: there is no such file (lib/xx.js, lib/xx.mjs, ` +
				`lib/xx.cjs, lib/xx.ts, lib/xx.mts, lib/xx.cts); did you mean "lib/xy"?`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			err := loadWithModules(t, name, c.files)
			var se *fault.ScriptError
			if !errors.As(err, &se) {
				t.Fatalf("got %v, want a *ScriptError", err)
			}
			se.Column = 0
			if !strings.HasPrefix(se.Error(), c.want) || !strings.Contains(se.Hint, c.hint) ||
				se.Excerpt == "" {
				t.Errorf("got %q, hint %q, excerpt %q\nwant %q, hint %q", se.Error(), se.Hint,
					se.Excerpt, c.want, c.hint)
			}
		})
	}
}

// loadWithModules loads files[""] as a script whose folder lib has the other files.
func loadWithModules(t *testing.T, name string, files map[string]string) error {
	t.Helper()
	dir := t.TempDir()
	for file, text := range files {
		if file == "" {
			continue
		}
		path := filepath.Join(dir, "lib", file)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	eng := scripttest.NewStandard(t, standard.Options{
		Engine: engine.Options{Runtimes: []engine.Runtime{lua.New(), js.New()}}})
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	src := []byte(files[""])
	gen, err := eng.Scripts.Load(ctx, &scriptfile.Script{Name: name, Path: filepath.Join(dir, name),
		Bytes:   src,
		Library: load.ReadLibrary(eng.Scripts.Runtime(name), dir, src)})
	if err == nil {
		eng.Scripts.Discard(gen)
	}
	return err
}
