package program

import (
	"context"
	"os"

	"github.com/agentscripts/agent/agent/internal/ignore"
	"github.com/agentscripts/agent/agent/output"
	"github.com/agentscripts/agent/agent/tool"
)

// Output returns the store of texts that are too long for the model.
func (p *Program) Output() *output.Store { return p.output }

// Files lists at most most files and directories below the working directory that git does not
// ignore, as tool.Files does. all is false if there are more.
func (p *Program) Files(ctx context.Context, most int) (paths []string, all bool, err error) {
	return tool.Files(ctx, p.o.Agent.Dir,
		ignore.UserFiles(os.Getenv("HOME"), os.Getenv("XDG_CONFIG_HOME")), most)
}
