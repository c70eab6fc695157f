// This file implements agent ext new, gallery and add: scripts to begin with.

package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentscripts/agent/agent/share"
	"github.com/agentscripts/agent/engine/atomicfile"
	"github.com/agentscripts/agent/engine/lazyregexp"
	"github.com/agentscripts/agent/engine/load"
	"github.com/agentscripts/agent/engine/regularfile"
	"github.com/agentscripts/agent/engine/scriptfile"
	"github.com/agentscripts/agent/engine/suggest"
	"github.com/agentscripts/agent/scripts"
)

// define defines the flags of agent ext new and agent ext add.
func (a *authorFlags) setLanguage(language string) error {
	if a.language != "" && a.language != language {
		return fmt.Errorf("--%s and --%s contradict each other", a.language, language)
	}
	a.language = language
	return nil
}

func (a *authorFlags) setKind(kind string) error {
	a.kind = kind
	if !slices.Contains(scripts.Kinds(), kind) {
		return fmt.Errorf("got %q, want one of %s%s", kind, strings.Join(scripts.Kinds(), ", "),
			suggest.DidYouMean(kind, scripts.Kinds()))
	}
	return nil
}

// scriptBase matches valid script names: a file name on every system, and a name for /commands.
var scriptBase = lazyregexp.New(`^[a-z0-9][a-z0-9_-]{0,62}$`)

func extNew(f *flags, words []string, stdout, stderr io.Writer) int {
	switch {
	case len(words) != 1:
		return usageError(stderr, fmt.Errorf("ext new: got %d arguments, want a NAME", len(words)))
	case !scriptBase().MatchString(words[0]) || share.IsDevice(words[0]):
		return usageError(stderr,
			fmt.Errorf("ext new: NAME: got %q, want a to z, 0 to 9, - and _, such as my-guard, "+
				"without an extension", words[0]))
	}
	name, language := words[0], cmp.Or(f.author.language, "lua")
	kind := cmp.Or(f.author.kind, "guard")
	if kind == "command" && slices.Contains(reserved(), name) {
		return usageError(stderr,
			fmt.Errorf("ext new: NAME: /%s is a command of the program: choose another name", name))
	}
	from := language
	if language == "ts" { // the JavaScript runtime runs it
		from = "js"
	}
	text, err := scripts.Template(kind, from, name)
	if err != nil {
		return failure(stderr, err)
	}
	dir, err := userScripts()
	if err != nil {
		return failure(stderr, err)
	}
	if taken := twins(dir, name); len(taken) > 0 {
		return failure(stderr, fmt.Errorf("ext new: %s exists already", taken[0]))
	}
	file := filepath.Join(dir, name+"."+language)
	if err := create(file, []byte(text), false); err != nil {
		return failure(stderr, fmt.Errorf("ext new: %w", err))
	}
	return printText(stdout, stderr,
		fmt.Sprintf("wrote %s\nit is live already; change it, then: agent ext check %s; agent "+
			"ext test %s", file, file, file))
}

// userScripts returns the folder of the user's scripts. It creates the folder if necessary.
func userScripts() (string, error) {
	at, err := place{}.withDefaults()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(at.home, "scripts")
	if _, err := makeScripts(at.home); err != nil {
		return dir, err
	}
	return dir, os.MkdirAll(dir, 0o755)
}

// twins returns the scripts in dir with that name in any language.
func twins(dir, base string) []string {
	var found []string
	for _, ending := range endings() {
		file := filepath.Join(dir, base+ending)
		if _, err := os.Lstat(file); err == nil {
			found = append(found, file)
		}
	}
	return found
}

// create writes a script, over an existing one only if over is set. The write is atomic: a
// half-written script would be loaded.
func create(file string, text []byte, over bool) error {
	const mode = 0o644
	if over {
		return atomicfile.Write(file, text, mode)
	}
	return atomicfile.Create(file, text, mode)
}

// galleryNames returns the sorted names of the gallery's scripts, without their extensions.
func galleryNames() []string {
	var names []string
	for _, file := range scripts.Files() {
		base := strings.TrimSuffix(file, path.Ext(file))
		if !slices.Contains(names, base) {
			names = append(names, base)
		}
	}
	return names
}

// specimen is a script of the gallery in one language.
type specimen struct {
	file   string
	text   []byte
	header scriptfile.Header
}

// specimens returns the versions of a gallery script by language, Lua first.
func specimens(base string) []specimen {
	var all []specimen
	for _, ending := range []string{".lua", ".js", ".ts"} {
		text, ok := scripts.Text(base + ending)
		if !ok {
			continue
		}
		header, _ := load.ParseHeader(base+ending, []byte(text))
		all = append(all, specimen{base + ending, []byte(text), header})
	}
	return all
}

func (s specimen) grants() string {
	if len(s.header.Grants) == 0 {
		return "nothing"
	}
	return strings.Join(s.header.Grants, " ")
}

func extGallery(_ *flags, words []string, stdout, stderr io.Writer) int {
	if len(words) > 0 {
		return usageError(stderr, fmt.Errorf("ext gallery: got %s, want no arguments",
			strings.Join(words, " ")))
	}
	var lines []string
	for _, base := range galleryNames() {
		all := specimens(base)
		var languages []string
		for _, s := range all {
			languages = append(languages, strings.TrimPrefix(path.Ext(s.file), "."))
		}
		line := fmt.Sprintf("%-16s %s (%s)", base, all[0].header.Summary,
			strings.Join(languages, ", "))
		if len(all[0].header.Grants) > 0 {
			line += "; asks for: " + all[0].grants()
		}
		lines = append(lines, line)
	}
	return printText(stdout, stderr,
		strings.Join(append(lines, "agent ext add NAME copies one into your scripts"), "\n"))
}

func extAdd(f *flags, words []string, stdout, stderr io.Writer) int {
	if len(words) != 1 {
		return usageError(stderr,
			fmt.Errorf("ext add: got %d arguments, want a NAME: agent ext gallery lists them",
				len(words)))
	}
	base, ending := words[0], path.Ext(words[0])
	base = strings.TrimSuffix(base, ending)
	switch {
	case !slices.Contains(galleryNames(), base):
		return usageError(stderr, fmt.Errorf("ext add: no %q in the gallery%s", base,
			suggest.DidYouMean(base, galleryNames())))
	case ending == "":
		ending = "." + cmp.Or(f.author.language,
			strings.TrimPrefix(path.Ext(specimens(base)[0].file), "."))
	}
	for _, s := range specimens(base) {
		if s.file == base+ending {
			return addScript(s, base, f.install.Force, stdout, stderr)
		}
	}
	return usageError(stderr, fmt.Errorf("ext add: no %s in the gallery", base+ending))
}

// addScript copies a script of the gallery into the user's scripts.
func addScript(s specimen, base string, force bool, stdout, stderr io.Writer) int {
	dir, err := userScripts()
	if err != nil {
		return failure(stderr, err)
	}
	file := filepath.Join(dir, s.file)
	granted := s.header.Summary
	for _, w := range load.Wants(string(s.text), s.header.Grants, s.header.Grants) {
		granted += "\n  " + w.String()
	}
	if len(s.header.Grants) == 0 {
		granted += "\n  " + load.NoGrant
	}
	for _, twin := range twins(dir, base) {
		was, err := regularfile.Read(twin)
		switch {
		case twin == file && err == nil && string(was) == string(s.text):
			return printText(stdout, stderr, "unchanged "+file+"\n"+granted)
		case twin != file:
			return failure(stderr,
				fmt.Errorf("ext add: %s exists already and does the same: remove it first",
					twin))
		case !force:
			return failure(stderr,
				fmt.Errorf("ext add: %s exists already and is different: --force overwrites it",
					file))
		}
	}
	if err := create(file, s.text, force); err != nil {
		return failure(stderr, fmt.Errorf("ext add: %w", err))
	}
	return printText(stdout, stderr, "wrote "+file+"\n"+granted)
}
