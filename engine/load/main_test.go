package load_test

import (
	"flag"
	"os"
	"testing"

	"github.com/agentscripts/agent/engine/ramdisk"
)

// TestMain runs four tests in parallel, unless -parallel is set: most of them wait.
func TestMain(m *testing.M) {
	ramdisk.Use()
	if err := flag.Set("test.parallel", "4"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
