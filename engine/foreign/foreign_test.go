package foreign_test

import (
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/foreign"
)

// TestByteOrderMark checks that the manifests of all formats may begin with the mark that some
// editors write.
func TestByteOrderMark(t *testing.T) {
	t.Parallel()
	texts := map[string]string{
		"extension.json":        `{"name": "x", "exec": "./x"}`,
		"picoclaw.json":         `{"hooks": {"processes": {"a": {"command": ["x"]}}}}`,
		".picoclaw/config.json": `{"hooks": {}}`,
		"agent.yaml":            "hooks: {turn_start: [{type: builtin, command: add_date}]}",

		".config/cagent/hooks.d/*.yaml": "session_end: []",
		".config/cagent/hooks.d/*.yml":  "session_end: []",
	}
	for _, r := range foreign.New(foreign.Options{}).Runtimes() {
		f := r.(engine.Format)
		text := texts[f.Manifest()]
		if text == "" {
			text = `{"hooks": {}}`
		}
		if _, err := f.Header([]byte("\ufeff" + text)); err != nil {
			t.Errorf("%s: %v", f.Manifest(), err)
		}
	}
}
