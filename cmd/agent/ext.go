// This file implements agent ext: the tools for authors of scripts.

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentscripts/agent/agent/config"
	"github.com/agentscripts/agent/agent/program"
	"github.com/agentscripts/agent/agent/share"
	"github.com/agentscripts/agent/agent/trial"
	"github.com/agentscripts/agent/cmd/agent/internal/installcmd"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/audit"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/foreign"
	"github.com/agentscripts/agent/engine/foreign/hosts"
	"github.com/agentscripts/agent/engine/load"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/realpath"
	"github.com/agentscripts/agent/engine/regularfile"
	"github.com/agentscripts/agent/engine/scriptfile"
	"github.com/agentscripts/agent/engine/spec"
	"github.com/agentscripts/agent/js"
	"github.com/agentscripts/agent/lua"
	"github.com/agentscripts/agent/tui/terminal"
)

// extCommand is a subcommand of agent ext. run gets the arguments after its name.
type extCommand struct {
	name string
	json bool // it supports --json
	run  func(f *flags, words []string, stdout, stderr io.Writer) int
}

func extCommands() []extCommand {
	return []extCommand{{"accept", false, extAccept}, {"add", false, extAdd},
		{"audit", true, extAudit}, {"bench", true, extBench},
		{"check", true, extCheck}, {"dev", false, extDev}, {"docs", false, extDocs},
		{"disable", true, extDisable}, {"doctor", true, extDoctor}, {"emit", true, extEmit},
		{"enable", true, extEnable},
		{"forget", false, extForget}, {"gallery", false, extGallery}, {"help", false, extHelp},
		{"new", false, extNew},
		{"replay", true, extReplay}, {"run", true, extRun},
		{"test", true, extTest}, {"types", false, extTypes},
		{"why", true, extWhy}}
}

// extNames returns the names of the commands of agent ext, in order.
func extNames() []string {
	names := installcmd.Names()
	for _, c := range extCommands() {
		names = append(names, c.name)
	}
	slices.Sort(names)
	return names
}

func runExt(f *flags, stdin io.Reader, stdout, stderr io.Writer) int {
	if isInstall(append([]string{"ext"}, f.words...)) {
		return runInstall(f, stdin, stdout, stderr)
	}
	for _, c := range extCommands() {
		if len(f.words) > 0 && c.name == f.words[0] {
			if f.json && !c.json {
				return usageError(stderr, fmt.Errorf("ext %s: --json is not supported", c.name))
			}
			return c.run(f, f.words[1:], stdout, stderr)
		}
	}
	names := extNames()
	if len(f.words) == 0 {
		return usageError(stderr, errors.New("ext needs a command: "+strings.Join(names, ", ")))
	}
	return usageError(stderr, f.unknownCommand())
}

// runInstall runs a command of agent ext that installs scripts or keeps them in order.
func runInstall(f *flags, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	at, err := place{}.withDefaults()
	if err != nil {
		return failure(stderr, err)
	}
	ctx, ended := endOnSignals()
	defer ended.done(&code)
	log := audit.New(audit.Options{Dir: audit.Dir(at.home)})
	c := at.installCommand(f, log)
	c.Stdin, c.Stdout = stdin, stdout
	c.Ask = func(question string) (yes, ok bool) {
		return terminal.Confirm(stdin, stdout, question)
	}
	c.Copy = func(text string) { terminal.Copy(stdout, text) }
	err = c.Run(ctx, f.words[0], f.words[1:])
	if failed := log.Flush(); failed != nil {
		fmt.Fprintf(stderr, "agent: the audit log cannot be written: %s\n", plain.Error(failed))
	}
	var usage installcmd.UsageError
	switch {
	case errors.As(err, &usage):
		return usageError(stderr, err)
	case err != nil:
		return failure(stderr, err)
	}
	return exitOK
}

// installCommand returns a command of agent ext that installs scripts or keeps them in order. The
// caller sets how it reads, writes and asks, and runs it.
func (p place) installCommand(f *flags, log *audit.Log) *installcmd.Command {
	options := f.install
	options.JSON = f.json
	project := options.Project
	return &installcmd.Command{In: p.installer(project), Options: options,
		Record: func(decision string, fields map[string]any) {
			fields["decision"] = decision
			log.Add(audit.Trust, "", fields)
		},
		Disabled: func() (paths []string, err error) {
			list, err := load.ListDisabled(p.home)
			for _, d := range list {
				paths = append(paths, d.Path)
			}
			return paths, err
		},
		Waiting: func() (paths []string, err error) {
			if project {
				return p.untrusted(), nil
			}
			list, err := load.Waiting(p.home, p.readers())
			for _, w := range list {
				if !w.Accepted {
					paths = append(paths, w.Path)
				}
			}
			return paths, err
		},
		Extensions: func() ([]share.Status, error) { return p.extensions(project), nil },
		Hosts:      func() ([]installcmd.Host, error) { return p.hosts(), nil },
		UseHosts: func(names []string) (string, error) {
			return config.AddFrom(p.home, names, p.keeper())
		},
		Managed: func() ([]share.Status, error) {
			if project {
				return nil, nil
			}
			return p.managedStatus()
		},
		Calls: func() (map[string]int, error) { return recentCalls(p.home) },
		LogPath: func(file string) string {
			return filepath.Join(p.home, "logs", scriptfile.LogName(file))
		}}
}

// managedStatus returns the scripts for all users. Err is set for those that are not used.
func (p place) managedStatus() ([]share.Status, error) {
	in := &share.Installer{Home: p.home, Scripts: p.managed, // without a lock file
		Lock: filepath.Join(p.managed, "scripts.lock"), Fetch: &share.Fetcher{Endings: endings()}}
	list, err := in.List()
	if err != nil {
		return nil, fmt.Errorf("the scripts for all users: %w", err)
	}
	for i := range list {
		s := &list[i]
		for _, path := range []string{p.managed, s.Path} {
			if s.Err == nil && !load.OnlyRootWrites(path) {
				s.Err = fmt.Errorf("only root may own and write %s", path)
			}
		}
	}
	return list, nil
}

// callsCounted is how many recorded calls are looked at to say what scripts do: enough to see
// whether one does anything, and read in milliseconds.
const callsCounted = 500

// recentDecisions returns the newest recorded calls.
func recentDecisions(home string) (calls []*audit.Call, err error) {
	records, err := audit.Read(audit.Dir(home), audit.Query{Kind: audit.Decision,
		Limit: callsCounted})
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("the audit log: %w", err)
	}
	for _, r := range records {
		if call, err := r.Call(); err == nil {
			calls = append(calls, call)
		}
	}
	return calls, nil
}

// recentCalls counts, by the names of scripts, in how many of the newest calls each took part.
func recentCalls(home string) (map[string]int, error) {
	calls, err := recentDecisions(home)
	count := map[string]int{}
	for _, call := range calls {
		took := map[string]bool{}
		for _, s := range call.Steps {
			if s.Script != "" && !took[s.Script] {
				took[s.Script] = true
				count[s.Script]++
			}
		}
	}
	return count, err
}

// project looks at the project.
func (p place) project() *program.Project {
	keeper := p.keeper()
	settings, _ := config.Load(p.home, keeper) // its mistakes are reported at the start
	return program.OpenProject(config.Project(p.dir), p.home,
		program.Places{Dir: p.dir, User: p.user, Keeper: keeper}, settings.Extensions.From,
		readers())
}

// untrusted returns the paths of the project's scripts that are not in force: the user has not
// trusted their bytes.
func (p place) untrusted() (paths []string) {
	project := p.project()
	for _, item := range project.Look().Items {
		if item.Kind == program.KindScript && !item.InForce() {
			paths = append(paths, item.Path)
		}
	}
	return paths
}

// installer returns what installs scripts of the user, or of the project.
func (p place) installer(project bool) *share.Installer {
	in := &share.Installer{Home: p.home, Scripts: filepath.Join(p.home, "scripts"),
		Lock:       filepath.Join(p.home, "scripts.lock"),
		Fetch:      &share.Fetcher{Endings: endings()},
		Syntax:     checkSyntax(runtimes()),
		Extensions: filepath.Join(p.home, "extensions"),
		Formats: share.Formats{Manifests: manifests(), Header: readManifest,
			Start: tryExtension},
		Load: func(ctx context.Context, path string) error {
			_, err := trial.Canaries(ctx, trialOptions(), path)
			if untried(err) != "" { // it does more than a trial can: that is no mistake
				return nil
			}
			return err
		},
		Approve: func(path string, text []byte) error {
			return load.AcceptAhead(p.home, readers(), path, text)
		},
		Removed: func(file string) error {
			_, err := load.Forget(p.home, p.guardList(), p.readers(), file)
			return err
		},
		First: func() error {
			_, err := makeScripts(p.home)
			return err
		}}
	if project {
		in.Root = config.Project(p.dir)
		dir := filepath.Join(in.Root, ".agent")
		in.Scripts, in.Lock = filepath.Join(dir, "scripts"), filepath.Join(dir, "scripts.lock")
		in.Extensions = filepath.Join(dir, "extensions")
		// what a project brings is trusted, by its bytes
		in.Approve, in.Removed, in.First = nil, nil, nil
		in.Formats.Start = nil
	}
	return in
}

// manifests returns the names of the manifests of extensions of other hosts.
func manifests() (names []string) {
	for _, rt := range readers() {
		if f, ok := rt.(engine.Format); ok && !engine.HasPlace(f) {
			names = append(names, f.Manifest())
		}
	}
	return names
}

// readManifest reads the manifest of an extension by its name, FOLDER/MANIFEST.
func readManifest(name string, text []byte) (scriptfile.Header, error) {
	header, mistakes := load.HeaderOf(readers(), name, text)
	if len(mistakes) > 0 {
		return header, errors.New(mistakes[0].Message)
	}
	return header, nil
}

// tryExtension starts the extension in a folder, alone and with an empty home, and ends it.
func tryExtension(ctx context.Context, dir string) error {
	home, err := os.MkdirTemp("", "agent-start-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(home)
	a, err := newApp(&flags{noScripts: true, ext: []string{dir}}, front{mode: "print",
		emit: func(*event.Event) {}, place: place{home: home, dir: home}})
	if err != nil {
		return err
	}
	defer a.closeScripts()
	if err := a.agent.LoadScripts(ctx); err != nil {
		return err
	}
	for _, info := range a.agent.Scripts() {
		if info.Source == scriptfile.SourceCLI && info.Error != nil {
			return info.Error
		}
	}
	return nil
}

// extRun implements agent ext run FILE /command args. It is agent -p with that script instead of
// the user's scripts.
func extRun(f *flags, words []string, stdout, stderr io.Writer) int {
	if len(words) < 2 {
		return usageError(stderr,
			errors.New("ext run: want FILE and /command, optionally followed by arguments"))
	}
	files, err := scriptFiles(words[:1])
	switch {
	case err != nil:
		return usageError(stderr, fmt.Errorf("ext run: %w", err))
	case len(files) != 1 || realpath.Exists(words[0]) && files[0] != words[0]:
		return usageError(stderr, fmt.Errorf("ext run: %s: want one script, got a folder",
			words[0]))
	}
	if strings.Trim(words[1], "/ ") == "" {
		return usageError(stderr, fmt.Errorf("ext run: got %q, want /command", words[1]))
	}
	run := *f
	run.print, run.noScripts, run.ext = true, true, append([]string{files[0]}, f.ext...)
	run.words = append([]string{"/" + strings.TrimPrefix(words[1], "/")}, words[2:]...)
	return runPrint(&run, nil, stdout, stderr)
}

// checkSyntax returns a function that returns the error with which a script does not compile. It
// runs nothing of it.
func checkSyntax(languages []engine.Runtime) func(ctx context.Context, name string,
	text []byte) error {
	return func(ctx context.Context, name string, text []byte) error {
		for _, r := range languages {
			checker, can := r.(interface {
				CheckSyntax(ctx context.Context, name string, src []byte) error
			})
			if can && slices.Contains(r.Extensions(), filepath.Ext(name)) {
				return checker.CheckSyntax(ctx, name, text)
			}
		}
		return nil
	}
}

// runtimes returns the script languages of the program.
func runtimes() []engine.Runtime { return []engine.Runtime{lua.New(), js.New()} }

// readers returns the languages of scripts and the formats of extensions, to read what they are: no
// extension runs in them.
func readers() []engine.Runtime {
	return place{}.readers()
}

// readers returns the same, with what the settings have.
func (p place) readers() []engine.Runtime {
	return append(runtimes(),
		foreign.New(foreign.Options{Settings: config.Picoclaw(p.home)}).Runtimes()...)
}

// extensionsAt returns the extensions of other hosts of the user, or of the project.
func (p place) extensionsAt(project bool) (all []load.Place) {
	if project {
		return p.project().Scripts.Extensions()
	}
	settings, _ := config.Load(p.home, p.keeper()) // its mistakes are reported at the start
	used, _ := hosts.Places(p.user, settings.Extensions.From)
	places := append([]string{p.installer(false).Extensions}, used.User...)
	for _, place := range append(places, config.Picoclaw(p.home).Path) {
		all = append(all, load.ExtensionsAt(p.readers(), p.user, used.Names, place)...)
	}
	return all
}

// hosts returns what other hosts have, for the user and for the project.
func (p place) hosts() (all []installcmd.Host) {
	settings, _ := config.Load(p.home, p.keeper()) // its mistakes are reported when it is written
	for _, host := range hosts.All() {
		h := installcmd.Host{Name: host.Name, Extensions: []installcmd.HostFound{},
			Used: slices.Contains(settings.Extensions.From, host.Name)}
		used, _ := hosts.Places(p.user, []string{host.Name})
		places := used.User
		for _, place := range used.Project {
			places = append(places, filepath.Join(config.Project(p.dir), filepath.FromSlash(place)))
		}
		h.Places = places
		for _, place := range places {
			for _, x := range load.ExtensionsAt(readers(), "", nil, place) {
				found := installcmd.HostFound{Path: x.Path}
				text, err := regularfile.Read(x.Path)
				if err == nil {
					found.Uses, found.Lacks, err = foreign.Explain(filepath.ToSlash(x.Path), text)
				}
				if err != nil {
					found.Error = plain.Error(err)
				}
				found.Uses = append([]string{}, found.Uses...) // [] in JSON
				found.Lacks = append([]string{}, found.Lacks...)
				h.Extensions = append(h.Extensions, found)
			}
		}
		all = append(all, h)
	}
	return all
}

// extensions describes the extensions of other hosts of the user, or of the project.
func (p place) extensions(project bool) (list []share.Status) {
	for _, x := range p.extensionsAt(project) {
		s := share.Status{File: x.Name, Path: x.Path}
		text, err := load.ReadManifest(p.readers(), s.Path)
		if s.Err = err; err == nil {
			var wrong []load.HeaderError
			if s.Header, wrong = load.HeaderOf(p.readers(), x.Name, text); len(wrong) > 0 {
				s.Wrong = wrong[0]
			}
		}
		list = append(list, s)
	}
	return list
}

// trialOptions returns the options with which scripts are tried.
func trialOptions() trial.Options {
	return trial.Options{Runtimes: runtimes(), Version: version(), Reserved: reserved()}
}

// extDocs implements agent ext docs: everything needed to write a script, in one text.
func extDocs(_ *flags, words []string, stdout, stderr io.Writer) int {
	if len(words) > 0 {
		return usageError(stderr, fmt.Errorf("ext docs: got %s, want no arguments",
			strings.Join(words, " ")))
	}
	return printText(stdout, stderr, strings.TrimSuffix(spec.Guide(), "\n"))
}

// extDev implements agent ext dev FILE and agent ext dev --end FILE.
func extDev(f *flags, words []string, stdout, stderr io.Writer) int {
	at, err := place{}.withDefaults()
	if err != nil {
		return failure(stderr, err)
	}
	if len(words) != 1 {
		return usageError(stderr, errors.New("ext dev: want one FILE, a script of the project"))
	}
	p := at.project()
	name, err := p.Lease(words[0], f.endLease)
	if err != nil {
		return failure(stderr, fmt.Errorf("ext dev: %w", err))
	}
	name = plain.Line(plain.RevealName(name), toolShown)
	if f.endLease {
		return printText(stdout, stderr, name+" waits for a review again after each change")
	}
	return printText(stdout, stderr, name+" loads as you save it, without a review, until HEAD "+
		"moves or you say agent ext dev --end "+name)
}
