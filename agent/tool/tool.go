// Package tool holds the built-in tools: read, write, edit, bash, job, grep, glob, ls, fetch.
//
//	store, jobs := output.New(home), tool.NewJobs()
//	engine.New(engine.Options{Tools: tool.Builtin(tool.Options{Output: store, Jobs: jobs}), ...})
//
// A tool does only what its arguments say; engine.Dispatch decides before whether it may. Relative
// paths start at the call's working directory. A failure is a result or an error whose text tells
// the model what to do differently.
package tool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/agentscripts/agent/agent/output"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/apart"
	"github.com/agentscripts/agent/engine/fence"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/process"
	"github.com/agentscripts/agent/engine/realpath"
	"github.com/agentscripts/agent/engine/suggest"
	"github.com/agentscripts/agent/engine/value"
)

// Options configures the tools. The zero value is valid.
type Options struct {
	Output *output.Store // of complete outputs; nil = a temporary directory
	Jobs   *Jobs         // background jobs; nil = not supported
	Fetch  FetchOptions
	Ignore []string // files of ignore rules for every repository, such as ~/.config/git/ignore
	// Started is called for each started program: see process.Command.
	Started func(pid int) (ended func())
	// Fence confines commands; nil = they are not confined.
	Fence *fence.Fence
	// Family keeps track of what commands leave running; may be nil.
	Family *process.Family
	// Setup returns shell that commands of bash run first, in the sandbox only; nil or "" = none.
	Setup func() string
}

// Builtin returns the built-in tools in the order in which models see them.
func Builtin(o Options) []*engine.Tool {
	if o.Output == nil {
		o.Output = output.New("")
	}
	return []*engine.Tool{
		readTool(),
		writeTool(),
		editTool(),
		bashTool(o),
		jobTool(o),
		grepTool(o),
		globTool(o),
		lsTool(),
		fetchTool(o),
	}
}

// Declared returns the declarations of all the program's tools, which rules may name. Those
// implemented in another package cannot run.
func Declared() []*engine.Tool {
	return append(Builtin(Options{}), Skill(nil), Agent(nil))
}

// object returns the schema of a tool's arguments: required lists the required properties.
func object(properties map[string]any, required ...string) map[string]any {
	s := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		s["required"] = value.TextList(required)
	}
	return s
}

func property(typ, description string) map[string]any {
	return map[string]any{"type": typ, "description": description}
}

// count returns a property that counts from one.
func count(description string) map[string]any {
	p := property("integer", description)
	p["minimum"] = 1
	return p
}

// resolvePath returns the absolute form of a path from the model. It does not expand "~": that
// would create a folder of that name, and removing it again is dangerous.
func resolvePath(use *engine.Use, p string) (string, error) {
	_, home := realpath.CutHome(p)
	switch {
	case p == "":
		return "", errors.New(`path: got "", want a path`)
	case len(p) > realpath.MaxBytes:
		return "", fmt.Errorf("path: has %d bytes, at most %d are allowed", len(p),
			realpath.MaxBytes)
	case strings.Contains(p, "\x00"):
		return "", fmt.Errorf("path: %q has a NUL byte in it", p)
	case home:
		return "", fmt.Errorf("path: %s: ~ is not expanded here: give the whole path", p)
	case filepath.IsAbs(p):
		return filepath.Clean(p), nil
	}
	return filepath.Join(workdir(use), p), nil
}

// stopped returns the reason why a tool whose ctx has ended stops.
func stopped(ctx context.Context) error {
	var skip *engine.SkipError
	if errors.As(context.Cause(ctx), &skip) {
		return skip
	}
	return errors.New("cancelled by the user")
}

// answerTime is the time limit of a read-only tool; those of a search and a fetch are shorter.
// Reading a file of /proc, or of a server that does not respond, may block for ever.
const answerTime = 90 * time.Second

// interruptible makes a read-only tool return when ctx ends, or after answerTime, without waiting
// for a disk that is slow or never answers.
func interruptible(run func(context.Context, *engine.Use) (*engine.Result,
	error)) func(context.Context, *engine.Use) (*engine.Result, error) {
	return func(ctx context.Context, use *engine.Use) (*engine.Result, error) {
		within, cancel := context.WithTimeoutCause(ctx, answerTime, errNoAnswer)
		defer cancel()
		r, err := apart.Run(within, func() (*engine.Result, error) { return run(ctx, use) })
		if err != nil && err == context.Cause(within) && ctx.Err() != nil {
			return nil, stopped(ctx)
		}
		return r, err
	}
}

var errNoAnswer = fmt.Errorf(
	"no answer within %s: what is read never comes, or its disk does not answer", answerTime)

// workdir returns the working directory of the call; "" is the process's own.
func workdir(use *engine.Use) string {
	if use.Env == nil {
		return ""
	}
	return use.Env.CWD
}

// explain converts an error of the file system to one that names the path as the model gave it.
func explain(op, name string, err error) error {
	var skip *engine.SkipError
	switch {
	case errors.As(err, &skip): // the call was cancelled
		return err
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s %s: no such file or directory", op, name)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s %s: permission denied", op, name)
	}
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return fmt.Errorf("%s %s: %w", op, name, plain.Wrap(err))
}

// regular checks that path leads to one of the decided paths, and is a regular file: reading a pipe
// could block for ever, and writing would replace a device.
func regular(op, name, path string, decided []string) (fs.FileInfo, error) {
	if _, err := decidedPath(path, decided); err != nil {
		return nil, explain(op, name, err)
	}
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%w%s", explain(op, name, err), neighbour(path))
	case err != nil:
		return nil, explain(op, name, err)
	case st.IsDir():
		return nil, fmt.Errorf("%s %s: is a directory; use ls", op, name)
	case !st.Mode().IsRegular():
		return nil, fmt.Errorf("%s %s: is not a regular file (%s)", op, name, st.Mode().Type())
	}
	return st, nil
}

// neighbour suggests a file of the same folder.
func neighbour(path string) string {
	const most = 1000 // larger folders are not searched for a typo
	if to, err := os.Readlink(path); err == nil {
		return fmt.Sprintf(": it is a link to %s, which is not there", quoteName(to))
	}
	d, err := os.Open(filepath.Dir(path))
	if err != nil {
		return ""
	}
	defer d.Close()
	names, _ := d.Readdirnames(most)
	return suggest.DidYouMean(filepath.Base(path), names)
}

// integer returns a number that was validated as an integer; one that exceeds any file's size
// becomes math.MaxInt32.
func integer(args map[string]any, key string, absent int) int {
	if n, ok := value.Number(args[key]); ok {
		return int(max(math.MinInt32, min(n, math.MaxInt32)))
	}
	return absent
}
