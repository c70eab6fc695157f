package extapi

import (
	"os"

	"github.com/agentscripts/agent/engine/fence"
	"github.com/agentscripts/agent/engine/foreign/hosts"
	"github.com/agentscripts/agent/engine/process"
)

// Options configures a format.
type Options struct {
	Version string // of the agent
	Dir     string // in which the agent works
	// Data is the folder in which each extension gets a folder for its own files; "" = none.
	Data   string
	Model  func() string // "provider/model"; may be nil
	Fence  *fence.Fence
	Family *process.Family
	// Settings may have an extension; the zero value has none.
	Settings hosts.Settings
	// LookupEnv reads the environment; nil = os.LookupEnv.
	LookupEnv func(name string) (string, bool)
}

// Lookup returns LookupEnv, or what it stands for.
func (o *Options) Lookup() func(name string) (string, bool) {
	if o.LookupEnv == nil {
		return os.LookupEnv
	}
	return o.LookupEnv
}
