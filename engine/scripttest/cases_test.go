package scripttest_test

import (
	"flag"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/load"
	"github.com/agentscripts/agent/engine/scriptfile"
	"github.com/agentscripts/agent/engine/scripttest"
	"github.com/agentscripts/agent/js"
	"github.com/agentscripts/agent/lua"
)

var update = flag.Bool("update", false, "rewrite the want files of the cases")

func kit() *scripttest.Kit {
	return &scripttest.Kit{Runtimes: []engine.Runtime{lua.New(), js.New()}, Header: header,
		Update: *update}
}

func header(name string, src []byte) (scriptfile.Header, error) {
	h, errs := load.ParseHeader(name, src)
	if len(errs) > 0 {
		return h, errs[0]
	}
	return h, nil
}

// TestCases runs testdata/*.txtar in both languages.
func TestCases(t *testing.T) {
	t.Parallel()
	kit().Run(t, "testdata")
}
