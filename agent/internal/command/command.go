// Package command turns Markdown files into slash commands: commands/NAME.md is /NAME,
// commands/FOLDER/NAME.md is /FOLDER:NAME. The text of the file is the prompt that the command
// sends.
//
//	---
//	description: Looks over a file
//	argument-hint: FILE [WHAT]
//	---
//	Read $1 and look for $2. All that was typed: $ARGUMENTS. A price: \$5.
//	The output of a command: !`git status`. A file is attached: @notes.txt
//
//	commands := command.New(command.Options{Engine: e, Home: home, User: userHome,
//		Project: project, Warn: warn})
//	commands.Start()    // once scripts are loaded
//	commands.Refresh()  // before commands are listed or run: files may have come and gone
//
// A command line in a file is a call of the tool bash like one of the model: handlers, guards,
// rules and the permission mode hold, because the file has chosen it and not the user.
//
// If names collide, a command of the program has priority over that of a script, a script's over a
// file's, and the user's files over the project's; a warning names the other one.
package command

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/agentscripts/agent/agent/internal/frontmatter"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/lazyregexp"
	"github.com/agentscripts/agent/engine/plain"
)

const (
	// maxFiles limits how many files are read: users do not remember so many commands.
	maxFiles = 500
	// maxDepth limits the nesting of folders; it also ends loops of links.
	maxDepth = 4
	// maxDescription limits a description, in bytes: it is shown on one line.
	maxDescription = 300
)

// Options configures where commands come from and where they are registered.
type Options struct {
	Engine   *engine.Engine
	Dir      string            // the working directory, for files that commands name
	Home     string            // the agent's own directory; "" = none
	User     string            // the user's home directory; "" = none
	Project  string            // the project's root; "" = none
	Reserved []string          // commands of the program: files cannot use their names
	Warn     func(text string) // called once for each problem in a file; nil = none
}

// Commands are the current commands from files. Its methods are safe for concurrent use.
type Commands struct {
	o Options

	calls atomic.Int64 // of commands in files

	mu        sync.Mutex
	started   bool
	seen      string // state of the files and the scripts' commands at the last reading
	installed *engine.Installed
	ignored   frontmatter.Ignored
	told      map[string]bool
}

// New makes Commands. It reads nothing before Start.
func New(o Options) *Commands { return &Commands{o: o, told: map[string]bool{}} }

// Start reads the files for the first time. Scripts must be loaded: their commands have priority.
func (c *Commands) Start() {
	c.mu.Lock()
	c.started = true
	c.mu.Unlock()
	c.Refresh()
}

// Refresh reads the files again if one of them, or the set of scripts' commands, has changed.
func (c *Commands) Refresh() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.started {
		return
	}
	files, scripts := c.files(), c.scripts()
	seen := fmt.Sprint(files, scripts)
	if seen == c.seen {
		return
	}
	c.seen = seen
	p := engine.Plugin{Name: "commands", Commands: c.commands(files, scripts)}
	var err error
	switch {
	case c.installed != nil:
		err = c.installed.Replace(p)
	case len(p.Commands) > 0:
		c.installed, err = c.o.Engine.Scripts.Install(p)
	}
	if err != nil {
		c.warn("commands: " + plain.Error(err))
	}
}

// found is a file that may be a command.
type found struct {
	path, name string
	folder     frontmatter.Folder
	stamp      string // changes when the file does
}

// files returns the existing files, the user's first.
func (c *Commands) files() (out []found) {
	for _, folder := range frontmatter.Folders("commands", c.o.Home, c.o.User, c.o.Project) {
		out = c.list(out, folder, folder.Path, "", 0)
	}
	return out
}

func (c *Commands) list(out []found, folder frontmatter.Folder, dir, prefix string,
	depth int) []found {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		c.warn("commands: " + plain.Error(err))
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		info, err := os.Stat(path)
		name, isFile := strings.CutSuffix(e.Name(), ".md")
		switch {
		case err != nil || strings.HasPrefix(name, "."):
		// a link to / would make it list the whole file system
		case info.IsDir() && depth < maxDepth && folder.Escapes(path):
			c.warn(path + ": links out of the project: it is not read")
		case info.IsDir() && depth < maxDepth:
			out = c.list(out, folder, path, prefix+e.Name()+":", depth+1)
		case !isFile || info.IsDir():
		case len(out) >= maxFiles:
			c.warn(fmt.Sprintf("%s: more than %d commands: the rest is not read", dir, maxFiles))
			return out
		case folder.Escapes(path):
			c.warn(path + ": links out of the project: it is not read")
		default:
			out = append(out, found{path, prefix + name, folder,
				fmt.Sprint(info.ModTime().UnixNano(), info.Size())})
		}
	}
	return out
}

// scripts maps the scripts' commands to the scripts that define them.
func (c *Commands) scripts() map[string]string {
	out := map[string]string{}
	for _, g := range c.o.Engine.Scripts.Snapshot().Generations {
		for _, cmd := range g.Registry.Commands {
			if out[cmd.Name] == "" {
				out[cmd.Name] = fmt.Sprintf("%s:%d", g.Path, cmd.Line)
			}
		}
	}
	return out
}

// name matches valid names of commands.
var name = lazyregexp.New(`^[a-z][a-z0-9_-]*(:[a-z0-9_-]+)*$`)

// commands makes a command from each valid file.
func (c *Commands) commands(files []found, scripts map[string]string) (out []*engine.Command) {
	first := map[string]string{}
	c.ignored = frontmatter.Ignored{}
	for _, f := range files {
		switch {
		case !name().MatchString(f.name):
			c.warn(fmt.Sprintf(
				"%s: the name of a command is lower case letters, digits, _ and -, got %q: "+
					"rename the file", f.path, f.name))
		case slices.Contains(c.o.Reserved, f.name):
			c.warn(fmt.Sprintf(
				"command /%s: the program itself has it, so %s is not used; rename the file",
				f.name, f.path))
		case scripts[f.name] != "":
			c.warn(fmt.Sprintf("command /%s: %s has it, so %s is not used; rename one of them",
				f.name, scripts[f.name], f.path))
		case first[f.name] != "":
			c.warn(fmt.Sprintf("command /%s: %s has it, so %s is not used; rename one of them",
				f.name, first[f.name], f.path))
		default:
			cmd, err := c.readCommandFile(f)
			if err != nil {
				c.warn(f.path + ": " + plain.Error(err) + ": the command is not there")
				continue
			}
			first[f.name] = f.path
			out = append(out, cmd)
		}
	}
	if text := c.ignored.Text(); text != "" {
		c.warn("commands: " + text)
	}
	return out
}

// readCommandFile makes a command from a file.
func (c *Commands) readCommandFile(f found) (*engine.Command, error) {
	doc, err := frontmatter.Read(f.path)
	if err != nil {
		return nil, err
	}
	body := plain.Text(doc.Body)
	if body == "" {
		return nil, errors.New("no text: it is the prompt")
	}
	texts := map[string]string{"description": "", "argument-hint": "", "model": ""}
	for key := range texts {
		text, err := doc.Text(key)
		if err != nil && key == "argument-hint" { // [file] is a list in YAML
			text, err = doc.Source(key), nil
		}
		if err != nil {
			return nil, err
		}
		texts[key] = plain.Line(text, maxDescription)
	}
	if texts["description"] == "" {
		first, _, _ := strings.Cut(strings.TrimLeft(body, "# "), "\n")
		texts["description"] = plain.Line(first, maxDescription)
	}
	cmd := &engine.Command{Name: f.name, Description: texts["description"],
		Hint: texts["argument-hint"], Source: f.path}
	c.ignored.Add(f.path, doc, "description", "argument-hint", "model")
	t := &template{c: c, path: f.path, body: body, model: texts["model"],
		pi: slices.Contains(strings.Split(filepath.ToSlash(f.folder.Path), "/"), frontmatter.Pi)}
	t.inProject = func(path string) bool { return !f.folder.Escapes(path) }
	cmd.GoRun = t.runCommand
	return cmd, nil
}

// warn reports each text once.
func (c *Commands) warn(text string) {
	text = strings.ReplaceAll(text, "\n", "␊") // of the name of a file
	if c.o.Warn != nil && !c.told[text] {
		c.told[text] = true
		c.o.Warn(text)
	}
}
