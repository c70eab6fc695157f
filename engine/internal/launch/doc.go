// Package launch changes commands so that this program's executable is started, prepares its own
// process, and then runs the program as its child: see engine/internal/confine.
package launch

import (
	"context"
	"os"
	"os/exec"
	"strings"

	"github.com/agentscripts/agent/engine/internal/confine"
)

// self is the executable of this process, even if its file was replaced.
const self = "/proc/self/exe"

// Confined changes cmd, which has not been started, so that it is confined as the settings say.
func Confined(cmd *exec.Cmd, settings []string) error {
	if cmd.Err != nil {
		return cmd.Err
	}
	env := cmd.Environ()
	for i, one := range env {
		if value, ok := strings.CutPrefix(one, confine.Processors+"="); ok {
			env[i] = confine.Original + "=" + value
		}
	}
	cmd.Env = append(env, confine.Variable+"=1", confine.Processors+"=1")
	args := append([]string{self, confine.Name}, settings...)
	cmd.Args = append(append(args, "--", cmd.Path), cmd.Args...)
	cmd.Path = self
	return nil
}

// Adopting changes cmd so that the program gets a parent that adopts the processes which lose their
// own, as a confined one has anyway. It returns false if this system cannot do that.
func Adopting(cmd *exec.Cmd) (bool, error) {
	if !confine.Available || Through(cmd) {
		return confine.Available, nil
	}
	return true, Confined(cmd, []string{confine.Free})
}

// Through reports whether cmd was changed by this package: then what is started is the parent of
// the program, and adopts.
func Through(cmd *exec.Cmd) bool {
	n := len(cmd.Env)
	return n > 1 && cmd.Env[n-2] == confine.Variable+"=1"
}

// Holding returns a command that protects paths in a mount namespace: settings are those of
// confine.ReadOnly, Link and Hidden.
func Holding(ctx context.Context, space *os.File, settings []string) *exec.Cmd {
	const firstExtra = "3"
	cmd := exec.CommandContext(ctx, self, confine.Name, confine.Hold+":"+firstExtra)
	cmd.Args = append(append(cmd.Args, settings...), "--", self, self) // the program is not run
	cmd.Env = []string{confine.Variable + "=1", confine.Processors + "=1"}
	cmd.ExtraFiles = []*os.File{space}
	return cmd
}
