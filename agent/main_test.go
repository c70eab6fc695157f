package agent_test

import (
	"flag"
	"os"
	"testing"

	"github.com/agentscripts/agent/engine/ramdisk"
)

// TestMain runs 16 tests in parallel, unless -parallel is set: most of them wait.
func TestMain(m *testing.M) {
	ramdisk.Use()
	if err := flag.Set("test.parallel", "16"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
