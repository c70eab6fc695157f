// This file installs extensions of other hosts.

package installcmd

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/agentscripts/agent/agent/share"
	"github.com/agentscripts/agent/engine/plain"
)

// installExtension shows an extension, asks about it, and installs it.
func installExtension(ctx context.Context, c *Command, x *share.Extension) error {
	at := share.Status{File: x.Name(), Header: x.Header,
		Path: filepath.Join(c.In.Extensions, x.Folder, x.Manifest)}
	folder := filepath.Join(c.In.Extensions, x.Folder)
	if x.Same() {
		return c.report(changeTo(at, "unchanged"), "unchanged %s", folder)
	}
	if err := c.printLine("%s", x.Describe()); err != nil {
		return err
	}
	err := agreeExtension(c, x)
	if err == nil {
		err = share.Extensions{In: c.In}.Install(ctx, x)
	}
	if err != nil {
		if c.flags.json {
			failed := changeTo(at, "failed")
			failed.Error = plain.Error(err)
			_ = c.printJSON(failed)
		}
		return err
	}
	c.Record("install", map[string]any{"path": at.Path, "source": x.From.String(),
		"grants": x.Header.Grants})
	done, what := "installed "+folder, "installed"
	if x.Replaces {
		what = "replaced"
		done += " (agent ext restore " + x.Folder + " brings the one before back)"
	}
	if c.flags.project {
		done += "; it runs when you trust it: agent trust add " + x.Folder
	}
	return c.report(changeTo(at, what), "%s", done)
}

// agreeExtension asks whether an extension is to be installed. An error means that it is not.
func agreeExtension(c *Command, x *share.Extension) error {
	if !c.flags.yes {
		return c.askKey("install " + x.Name() + "?")
	}
	if missing := x.Wide(c.flags.grants); len(missing) > 0 {
		return fmt.Errorf("--yes does not grant what %s asks for: add --grant %s", x.Name(),
			strings.Join(missing, " --grant "))
	}
	return nil
}
