package fence

import (
	"flag"
	"os"
	"testing"

	"github.com/agentscripts/agent/engine/ramdisk"
)

// TestMain runs eight tests in parallel, unless -parallel says otherwise: most of them wait for
// programs.
func TestMain(m *testing.M) {
	ramdisk.Use()
	if err := flag.Set("test.parallel", "8"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
