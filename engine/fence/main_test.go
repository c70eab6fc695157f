package fence

import (
	"os"
	"testing"

	"github.com/agentscripts/agent/engine/ramdisk"
)

func TestMain(m *testing.M) {
	ramdisk.Use()
	os.Exit(m.Run())
}
