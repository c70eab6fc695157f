package spec_test

import (
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/spec"
)

// maxGuide is the maximal length of the guide in bytes: 12,000 tokens of a model's context. The
// guide has 3.71 bytes per token with the o200k tokenizer.
const maxGuide = 12000 * 371 / 100

// TestGuide checks that the guide names every function and every event, and is not too long.
func TestGuide(t *testing.T) {
	t.Parallel()
	text := spec.Guide()
	if len(text) > maxGuide {
		t.Errorf("the guide has %d bytes, want at most %d", len(text), maxGuide)
	}
	if i := strings.Index(text, "<!--"); i >= 0 {
		t.Errorf("a placeholder was not replaced: %.40s", text[i:])
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

// TestLifetimes checks that exactly the rows whose handlers may return a context have a lifetime.
func TestLifetimes(t *testing.T) {
	t.Parallel()
	for _, row := range spec.Events() {
		permitted := strings.Contains(" "+strings.Join(row.Returns, " ")+" ", " context ")
		if permitted != (row.Lifetime != "") {
			t.Errorf("%s: lifetime is %q, returns %v", row.Name, row.Lifetime, row.Returns)
		}
	}
}
