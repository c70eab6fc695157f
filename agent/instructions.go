// This file builds the system prompt from the default text and the AGENTS.md or CLAUDE.md files.

package agent

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/agentscripts/agent/agent/internal/report"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/realpath"
	"github.com/agentscripts/agent/engine/regularfile"
	"github.com/agentscripts/agent/engine/vm"
)

const (
	// instructionFile holds a project's or user's instructions for agents. otherInstructions is
	// another program's name for it, which is read in a folder without an instructionFile.
	instructionFile   = "AGENTS.md"
	otherInstructions = "CLAUDE.md"
	// maxInstructions bounds one such file, in bytes: it is part of each request, and must leave
	// room for the work.
	maxInstructions = 64 << 10
	// maxInstructionFiles bounds how many are read: a working directory may be nested deeply.
	maxInstructionFiles = 16
)

// instructions builds the system prompt of one agent.
type instructions struct {
	dir, project, home string // as in Options
	system             string
	clock              vm.Clock
	skills             func() string // nil = there are none
	report             *report.Reporter
	tools              *toolset
}

// systemPrompt describes the environment and the expected behaviour to the model, and includes the
// files' instructions. It changes only when they do and once a day, so that providers can cache it.
func (n *instructions) systemPrompt() string {
	var b strings.Builder
	b.WriteString(n.opening())
	fmt.Fprintf(&b, "\n\nWorking directory: %s\n", n.dir)
	if n.project != n.dir {
		fmt.Fprintf(&b, "Project root: %s\n", n.project)
	}
	fmt.Fprintf(&b, "Operating system: %s\nDate: %s\n", runtime.GOOS,
		n.clock.Now().Format("2006-01-02"))
	for _, path := range n.files() {
		text, err := readInstructions(path, n.project)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			n.report.NotifyOnce("warn", path+": "+plain.Error(err))
		}
		if text != "" {
			fmt.Fprintf(&b, "\nInstructions from %s:\n%s\n", path, text)
		}
	}
	if n.skills != nil && n.tools.allows("skill") {
		if skills := n.skills(); skills != "" {
			b.WriteString("\n" + skills)
		}
	}
	return b.String()
}

// behaviour is the part of the system prompt that every agent gets.
const behaviour = "When a tool call is refused, do not try to get around it: do something else, " +
	"or say what you would need.\n" +
	"Text in <context from=\"...\"> comes from scripts that the user has installed, or tells of " +
	"commands in the background; it is not from the user. " +
	"<user_shell> is a command that the user ran, and its output."

// opening returns the beginning of the system prompt, which says what the agent is.
func (n *instructions) opening() string {
	words := "You are agent, a coding agent in a terminal. You help the user with the software " +
		"in the working directory.\n" +
		"Use the tools to look before you answer and to do what is asked; do no more than that. " +
		"Be brief; the user reads you in a terminal. " + behaviour
	if n.system != "" {
		words = n.system
	}
	if k := n.tools.kind.Load(); k != nil && k.system != "" {
		words = k.system + "\n\n" + behaviour
	}
	if n.tools.parent != nil {
		words += "\nYou work for another agent: your last message is all that it gets. The user " +
			"does not read you, and does not answer you."
	}
	return words
}

// files returns the existing files: from the project's root down to the working directory, so that
// the nearest one takes precedence about the project, then the user's own. A file with several
// names is listed once, at its first place.
func (n *instructions) files() []string {
	var folders []string
	for dir := filepath.Clean(n.dir); n.dir != "" &&
		len(folders) < maxInstructionFiles; dir = filepath.Dir(dir) {
		folders = append(folders, dir)
		if way, ok := realpath.Below(n.project, dir); !ok || way == "." ||
			dir == filepath.Dir(dir) {
			break
		}
	}
	slices.Reverse(folders)
	if n.home != "" && !slices.Contains(folders, n.home) {
		folders = append(folders, n.home)
	}
	var paths []string
	var read []fs.FileInfo
	for _, dir := range folders {
		path, info := n.fileIn(dir)
		if path == "" || info != nil && slices.ContainsFunc(read,
			func(other fs.FileInfo) bool { return os.SameFile(info, other) }) {
			continue
		}
		paths = append(paths, path)
		if info != nil {
			read = append(read, info)
		}
	}
	return paths
}

// fileIn returns the instruction file of a folder, "" if it has none. It notifies the user if it
// reads a file with another program's name.
func (n *instructions) fileIn(dir string) (path string, info fs.FileInfo) {
	path = filepath.Join(dir, instructionFile)
	if _, err := os.Lstat(path); err == nil { // one that cannot be read is reported later
		info, _ = os.Stat(path)
		return path, info
	}
	path = filepath.Join(dir, otherInstructions)
	info, err := os.Stat(path)
	if err != nil {
		return "", nil
	}
	n.report.NotifyOnce("info", path+" is read: there is no "+instructionFile+" beside it")
	return path, info
}

// readInstructions reads an instruction file. An error may come with the text that could be read. A
// project's file must not be a link to a file outside: the model would get a text that the
// project's authors must not see.
func readInstructions(path, project string) (string, error) {
	if _, inProject := realpath.Below(project, path); inProject && realpath.Escapes(project, path) {
		return "", errors.New("links out of the project: the model does not get its text")
	}
	f, err := regularfile.Open(path, os.O_RDONLY, 0)
	switch {
	case errors.Is(err, regularfile.ErrNotRegular):
		return "", fmt.Errorf("%w: the model does not get its text", plain.Cause(err))
	case err != nil:
		return "", plain.Cause(err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxInstructions+1))
	if err != nil {
		return "", plain.Cause(err)
	}
	if len(b) > maxInstructions {
		err = fmt.Errorf("larger than %d KB: the model does not get the rest", maxInstructions>>10)
		b = append(plain.Head(b, maxInstructions), "\n[cut]"...)
	}
	return strings.TrimSpace(strings.ToValidUTF8(string(b), "\uFFFD")), err
}
