package load_test

import (
	"flag"
	"os"
	"testing"

	"github.com/agentscripts/agent/engine/ramdisk"
)

// TestMain runs 16 tests in parallel, unless -parallel is set: nearly all of their time, they wait
// for the loader to notice a change, or not to.
func TestMain(m *testing.M) {
	ramdisk.Use()
	if err := flag.Set("test.parallel", "16"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
