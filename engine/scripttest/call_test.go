package scripttest_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/spec"
)

// TestCallFields checks that a call has exactly the documented fields in both languages.
func TestCallFields(t *testing.T) {
	t.Parallel()
	var documented, methods []string
	for _, f := range spec.Call() {
		documented = append(documented, f.Name)
		if f.Type == "function" {
			methods = append(methods, f.Name)
		}
	}
	for lang, src := range map[string]string{
		"lua": `ext.command{ name = "keys", run = function(_, call) local out = {} for k in ` +
			`pairs(call) do out[#out + 1] = k end return { display = table.concat(out, " ") } ` +
			`end }`,
		"js": `ext.command({ name: "keys", run: (_, call) => ({ display: ` +
			`Object.keys(call).filter((k) => call[k] !== undefined).join(" ") }) });`,
	} {
		_, line, _ := strings.Cut(one(t, lang)(src, "command /keys"), "case says: ")
		line, _, _ = strings.Cut(line, "\n")
		got := strings.Fields(line)
		for _, key := range got {
			if !slices.Contains(documented, key) {
				t.Errorf("%s: call.%s is not documented", lang, key)
			}
		}
		for _, m := range methods {
			if !slices.Contains(got, m) {
				t.Errorf("%s: there is no call.%s: got %v", lang, m, got)
			}
		}
		if !slices.Contains(got, "cwd") {
			t.Errorf("%s: got %v", lang, got)
		}
	}
}
