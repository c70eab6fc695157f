// This file implements --require-scripts.

package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/agentscripts/agent/engine/load"
	"github.com/agentscripts/agent/engine/plain"
)

// requiredError lists the scripts that are not in force as they are in their files, a line each.
type requiredError []string

func (e requiredError) Error() string {
	return "--require-scripts: not all scripts are in force:\n  " + strings.Join(e, "\n  ")
}

// loaded checks the scripts before the session begins.
func (a *app) loaded() error {
	a.tellUnknownSettings()
	if !a.flags.require {
		return nil
	}
	var missing requiredError
	for _, i := range a.agent.Scripts() {
		if why := notInForce(i); why != "" {
			missing = append(missing, fmt.Sprintf("%s (%s, %s): %s",
				plain.Line(plain.RevealName(i.Name), toolShown), i.Source,
				plain.Line(plain.RevealName(i.Path), pathShown), plain.Text(why)))
		}
	}
	if len(missing) > 0 {
		return missing
	}
	return nil
}

// pathShown is how many bytes of a path are shown.
const pathShown = 500

// notInForce returns why the file of a script is not in force, and what to do; "" if it is, or if
// the user does not want to be asked about it.
func notInForce(i load.Info) string {
	if i.Refused {
		return ""
	}
	switch i.State {
	case load.StateUntrusted:
		if i.Waits {
			return fmt.Sprintf(
				"not trusted: see it with agent trust show %s, then agent trust add %s", i.Name,
				i.Name)
		}
		return "cannot be trusted: " + strings.Join(i.Notes, "; ")
	case load.StateDisabled:
		return "it is disabled: agent ext enable " + i.Name
	case load.StateChanged:
		return fmt.Sprintf("the file has changed, and the version that was trusted is in force: "+
			"see it with agent trust show %s, then agent trust add %s", i.Name, i.Name)
	case load.StateFailed, load.StateLastGood:
		why := "it does not load"
		if i.Error != nil {
			why += ": " + i.Error.Error()
		}
		return why + ": fix the file or remove it"
	}
	return ""
}

// startFailure prints why the session did not begin, and returns the exit code.
func startFailure(stderr io.Writer, err error) int {
	var missing requiredError
	if !errors.As(err, &missing) {
		return failure(stderr, err)
	}
	fmt.Fprintf(stderr, "agent: %s\n", shownError(missing))
	return exitRequired
}
