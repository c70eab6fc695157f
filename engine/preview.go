package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/agentscripts/agent/engine/redact"
)

// previewWait is how long a question waits for the preview of its call: a local disk answers in
// milliseconds, and one that never answers must not keep the user from being asked.
const previewWait = 3 * time.Second

// Preview is what a call would do if it ran now, for the person who decides about it. Like the
// arguments in a Question it is not masked: see Masked.
type Preview struct {
	// Display is drawn in place of the arguments, in the same way as the Display of the result will
	// be. It shows all that the call would change: nothing is left out, however long it is. An
	// empty Text means that there is nothing to show, and the arguments are shown.
	Display Display
	Note    string      // one line: "new file, 3 lines"
	File    *FileChange // the file that would change, nil = none
	Fails   string      // why the call would fail as things are now; "" = it would not
}

// FileChange is a file before and after a change, as it stands on the disk, line ends included.
type FileChange struct {
	Path   string  // absolute
	Before *string // nil: there is no such file
	After  string
}

// previewCall asks the tool what the call would do. It returns nil if the tool cannot tell, or not
// in time.
func (d *dispatch) previewCall() *Preview {
	if d.found == nil || d.found.Preview == nil || d.verdict.Answerer != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(d.ctx, previewWait)
	defer cancel()
	use := &Use{CallID: d.call.ID, Args: d.args, Env: d.call.Env, Depth: d.call.Depth, engine: d.e}
	preview, done := d.found.Preview, make(chan *Preview, 1)
	go func() {
		done <- callPreview(ctx, preview, use)
	}()
	select {
	case p := <-done:
		return p
	case <-ctx.Done():
		return nil
	}
}

func callPreview(ctx context.Context, preview func(context.Context, *Use) (*Preview, error),
	use *Use) (p *Preview) {
	defer func() {
		if r := recover(); r != nil {
			p = &Preview{Fails: fmt.Sprintf("internal error: %v", r)}
		}
	}()
	p, err := preview(ctx, use)
	if err != nil {
		return &Preview{Fails: err.Error()}
	}
	return p
}

// Masked returns p, which may be nil, as it may be seen elsewhere than on the user's own screen.
// See redact.Mask for where it must not be called.
func (p *Preview) Masked(k *redact.Mask) *Preview {
	if p == nil || !k.On() {
		return p
	}
	masked := *p
	masked.Display.Title, masked.Display.Text = k.Text(p.Display.Title), k.Text(p.Display.Text)
	masked.Note, masked.Fails = k.Text(p.Note), k.Text(p.Fails)
	if p.File != nil {
		file := FileChange{Path: k.Text(p.File.Path), After: k.Text(p.File.After)}
		if p.File.Before != nil {
			before := k.Text(*p.File.Before)
			file.Before = &before
		}
		masked.File = &file
	}
	return &masked
}
