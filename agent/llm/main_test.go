package llm

import (
	"flag"
	"os"
	"testing"
)

// TestMain runs eight tests in parallel, unless -parallel is set: they wait for servers that hang.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "8"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
