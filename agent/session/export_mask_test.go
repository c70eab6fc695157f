package session

import (
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/redact"
)

// TestExportMasks: text that has become a secret since the session was written is masked, also
// where JSON escapes it; the rest is as in the file.
func TestExportMasks(t *testing.T) {
	s := spoken(t)
	x := Export{Mask: redact.NewMask([]string{"show me\nthe key"}).Value}
	for _, form := range []func(Export, io.Writer, *Session) error{Export.Markdown, Export.JSON} {
		var plain, masked strings.Builder
		if err := form(Export{}, &plain, s); err != nil {
			t.Fatal(err)
		}
		if err := form(x, &masked, s); err != nil {
			t.Fatal(err)
		}
		if got := masked.String(); strings.Contains(got, "show me") ||
			!strings.Contains(got, "[redacted:secret]") {
			t.Errorf("not masked:\n%s", got)
		}
		if strings.HasPrefix(plain.String(), "[") && !json.Valid([]byte(masked.String())) {
			t.Errorf("no JSON:\n%s", masked.String())
		}
		// all other lines are the same
		before, after := strings.Split(plain.String(), "\n"), strings.Split(masked.String(), "\n")
		if before[0] != after[0] || before[len(before)-2] != after[len(after)-2] {
			t.Errorf("got\n%s\nwant\n%s", masked.String(), plain.String())
		}
	}
}
