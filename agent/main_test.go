package agent_test

import (
	"flag"
	"os"
	"testing"
)

// TestMain runs four tests side by side, unless -parallel says otherwise: most of them wait for
// something, whatever the number of processors is.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "4"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
