// This file reports what was done, as text or as lines of JSON.

package installcmd

import (
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/agentscripts/agent/agent/share"
	"github.com/agentscripts/agent/engine/plain"
)

// change is a line of --json of the commands that change scripts: what was done to one of them.
type change struct {
	File    string   `json:"file"`
	Path    string   `json:"path"`
	Change  string   `json:"change"` // see docs/install.md
	Version string   `json:"version,omitempty"`
	Grants  []string `json:"grants"`
	Source  string   `json:"source,omitempty"` // "" = it was written here
	SHA256  string   `json:"sha256,omitempty"` // that is installed, or was
	Error   string   `json:"error,omitempty"`  // why it failed
}

// changeTo describes a change to a script that is here.
func changeTo(s share.Status, what string) change {
	x := change{File: s.File, Path: s.Path, Change: what, Version: s.Header.Version,
		Grants: append([]string{}, s.Header.Grants...)}
	if e := cmp.Or(s.Entry, s.Dropped); e != nil {
		x.Source, x.SHA256 = e.Source, e.SHA256
	}
	return x
}

// placed describes a script that was installed, or needs not be.
func (c *Command) placed(p *share.Preview, what string) change {
	return change{File: p.Name, Path: c.In.Path(p.Name), Change: what, Version: p.Header.Version,
		Grants: append([]string{}, p.Grants()...), Source: p.From.String(), SHA256: p.SHA256}
}

// report prints a change: as text, or as a line of JSON.
func (c *Command) report(x change, format string, args ...any) error {
	if !c.JSON {
		return c.printLine(format, args...)
	}
	return c.printJSON(x)
}

// failed reports that nothing was done to a script, if that is for a program; the error is for the
// user in any case.
func (c *Command) failed(file string, err error) error {
	if c.JSON {
		_ = c.printJSON(change{File: file, Path: c.In.Path(file), Change: "failed",
			Grants: []string{}, Error: plain.Error(err)})
	}
	return err
}

func (c *Command) printJSON(x any) error {
	b, err := json.Marshal(x)
	if err == nil {
		_, err = fmt.Fprintf(c.Stdout, "%s\n", b)
	}
	return err
}

// printLine prints a line for a person: nothing with --json.
func (c *Command) printLine(format string, args ...any) error {
	if c.JSON {
		return nil
	}
	_, err := fmt.Fprintln(c.Stdout, plain.Text(fmt.Sprintf(format, args...)))
	return err
}
