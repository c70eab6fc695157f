package scripttest_test

import (
	"flag"
	"os"
	"runtime/debug"
	"testing"

	"github.com/agentscripts/agent/engine/ramdisk"
)

// TestMain runs eight tests in parallel, unless -parallel is set: most of them wait. Garbage is
// collected less often than usual, which saves a third of the time; benchmarks use the usual
// setting.
func TestMain(m *testing.M) {
	ramdisk.Use()
	if err := flag.Set("test.parallel", "8"); err != nil {
		panic(err)
	}
	flag.Parse()
	if flag.Lookup("test.bench").Value.String() == "" {
		debug.SetGCPercent(400)
	}
	os.Exit(m.Run())
}
