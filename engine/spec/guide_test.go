package spec_test

import (
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/spec"
)

// maxGuide is the most the guide may take of a model's window, in bytes: 12,000 tokens. The guide
// has 3.71 bytes a token with the o200k tokenizer.
const maxGuide = 12000 * 371 / 100

// TestGuide: the guide names every function and every event, and fits into a model's window.
func TestGuide(t *testing.T) {
	t.Parallel()
	text := spec.Guide()
	if len(text) > maxGuide {
		t.Errorf("the guide has %d bytes, want at most %d", len(text), maxGuide)
	}
	if i := strings.Index(text, "<!--"); i >= 0 {
		t.Errorf("a mark was not replaced: %.40s", text[i:])
	}
	for _, row := range spec.API() {
		if !strings.Contains(text, "`ext."+row.Name+"(") &&
			!strings.Contains(text, "`ext."+row.Name+"`") {
			t.Errorf("ext.%s is missing", row.Name)
		}
	}
	for _, row := range spec.Events() {
		if !strings.Contains(text, "- **"+row.Name+"**") {
			t.Errorf("event %s is missing", row.Name)
		}
	}
}

// TestLifetimes: a row says how long a context stays if, and only if, its handlers may return one.
func TestLifetimes(t *testing.T) {
	t.Parallel()
	for _, row := range spec.Events() {
		permitted := strings.Contains(" "+strings.Join(row.Returns, " ")+" ", " context ")
		if permitted != (row.Lifetime != "") {
			t.Errorf("%s: lifetime is %q, returns %v", row.Name, row.Lifetime, row.Returns)
		}
	}
}
