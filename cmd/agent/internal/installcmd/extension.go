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
		Entry: &share.Entry{Source: x.From.String()},
		Path:  filepath.Join(c.In.Extensions, x.Folder, x.Manifest)}
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
		return failedExtension(c, at, err)
	}
	c.Record("install", map[string]any{"path": at.Path, "source": x.From.String(),
		"grants": x.Header.Grants})
	done, what := "installed "+folder, "installed"
	if x.Replaces {
		what = "replaced"
		done += " (agent ext restore " + x.Folder + " brings the one before back)"
	}
	if c.Project {
		done += "; it runs when you trust it: agent trust add " + x.Folder
	}
	return c.report(changeTo(at, what), "%s", done)
}

// failedExtension is failed for an extension.
func failedExtension(c *Command, s share.Status, err error) error {
	if c.JSON {
		failed := changeTo(s, "failed")
		failed.Error = plain.Error(err)
		_ = c.printJSON(failed)
	}
	return err
}

// installedAs returns the entry of an extension.
func installedAs(c *Command, s share.Status, entries []share.Entry) (*share.Entry, error) {
	folder, err := share.Extensions{In: c.In}.FolderOf(s)
	for i := range entries {
		if err == nil && entries[i].File == folder {
			return &entries[i], nil
		}
	}
	if err == nil {
		err = fmt.Errorf("it is not known where %s is from: agent ext install SOURCE replaces it, "+
			"and agent ext update then asks that source", s.File)
	}
	return nil, err
}

// updateExtension installs the newer version of an extension, if there is one.
func updateExtension(ctx context.Context, c *Command, e share.Entry) (newer bool, err error) {
	x, err := share.Extensions{In: c.In}.Newer(ctx, e)
	if err == nil && x != nil && x.Edited && !c.Force {
		err = fmt.Errorf("%s is not as it was installed (it has your edits, or is an older "+
			"version), and there is a newer version: agent ext update --force %s shows what "+
			"changes and asks; the one that is there goes to the trash", e.File, e.File)
	}
	switch {
	case err != nil:
		return false, failedExtension(c, share.Status{File: e.File,
			Path: filepath.Join(c.In.Extensions, e.File)}, fmt.Errorf("%s: %w", e.File, err))
	case x == nil:
		return false, nil
	}
	return true, installExtension(ctx, c, x)
}

// agreeExtension asks whether an extension is to be installed. An error means that it is not.
func agreeExtension(c *Command, x *share.Extension) error {
	if !c.Yes {
		return c.askKey("install " + x.Name() + "?")
	}
	if missing := x.Wide(c.Grants); len(missing) > 0 {
		return fmt.Errorf("--yes does not grant what %s asks for: add --grant %s", x.Name(),
			strings.Join(missing, " --grant "))
	}
	return nil
}
