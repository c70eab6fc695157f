// This file implements agent ext: the tools for authors of scripts.

package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentscripts/agent/agent/config"
	"github.com/agentscripts/agent/agent/program"
	"github.com/agentscripts/agent/agent/trial"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/spec"
	"github.com/agentscripts/agent/engine/suggest"
	"github.com/agentscripts/agent/js"
	"github.com/agentscripts/agent/lua"
)

// extCommand is a subcommand of agent ext. run gets the arguments after its name.
type extCommand struct {
	name string
	json bool // it supports --json
	run  func(f *flags, words []string, stdout, stderr io.Writer) int
}

func extCommands() []extCommand {
	return []extCommand{{"accept", false, extAccept}, {"add", false, extAdd},
		{"audit", true, extAudit},
		{"check", true, extCheck}, {"dev", false, extDev}, {"docs", false, extDocs},
		{"disable", false, extDisable}, {"emit", true, extEmit}, {"enable", false, extEnable},
		{"forget", false, extForget}, {"gallery", false, extGallery},
		{"new", false, extNew},
		{"replay", true, extReplay}, {"run", true, extRun},
		{"test", true, extTest}, {"types", false, extTypes},
		{"why", true, extWhy}}
}

func runExt(f *flags, stdout, stderr io.Writer) int {
	var names []string
	for _, c := range extCommands() {
		if len(f.words) > 0 && c.name == f.words[0] {
			if f.json && !c.json {
				return usageError(stderr, fmt.Errorf("ext %s: --json is not supported", c.name))
			}
			return c.run(f, f.words[1:], stdout, stderr)
		}
		names = append(names, c.name)
	}
	if len(f.words) == 0 {
		return usageError(stderr, errors.New("ext needs a command: "+strings.Join(names, ", ")))
	}
	return usageError(stderr, fmt.Errorf("unknown command: ext %s%s", f.words[0],
		suggest.DidYouMean(f.words[0], names)))
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
	case len(files) != 1 || files[0] != words[0]:
		return usageError(stderr, fmt.Errorf("ext run: %s: want one script, got a folder",
			words[0]))
	}
	if strings.Trim(words[1], "/ ") == "" {
		return usageError(stderr, fmt.Errorf("ext run: got %q, want /command", words[1]))
	}
	run := *f
	run.print, run.noScripts, run.ext = true, true, append(list{words[0]}, f.ext...)
	run.words = append([]string{"/" + strings.TrimPrefix(words[1], "/")}, words[2:]...)
	return runPrint(&run, nil, stdout, stderr)
}

// runtimes returns the script languages of the program.
func runtimes() []engine.Runtime { return []engine.Runtime{lua.New(), js.New()} }

// trialOptions returns the options with which scripts are tried.
func trialOptions() trial.Options {
	return trial.Options{Runtimes: runtimes(), Version: version, Reserved: reserved()}
}

// isScript reports whether a file name has the extension of a script.
func isScript(name string) bool {
	return slices.ContainsFunc(runtimes(),
		func(rt engine.Runtime) bool {
			return slices.Contains(rt.Extensions(),
				filepath.Ext(name))
		})
}

// scriptFiles returns the scripts that paths name, including those in named folders; without paths,
// the user's scripts. An error means wrong usage.
func scriptFiles(paths []string) ([]string, error) {
	if len(paths) == 0 {
		at, err := place{}.withDefaults()
		if err != nil {
			return nil, err
		}
		dir := filepath.Join(at.home, "scripts")
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		paths = []string{dir}
	}
	var files []string
	for _, path := range paths {
		info, err := os.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("%s: no such file", path)
		case err != nil:
			return nil, err
		case !info.IsDir() && !isScript(path):
			return nil, fmt.Errorf("%s: no script: want a file that ends in %s", path,
				strings.Join(endings(), ", "))
		case !info.IsDir():
			files = append(files, path)
			continue
		}
		list, err := os.ReadDir(path)
		if err != nil {
			return nil, err
		}
		for _, d := range list {
			if !d.IsDir() && isScript(d.Name()) && !strings.HasPrefix(d.Name(), ".") {
				files = append(files, filepath.Join(path, d.Name()))
			}
		}
	}
	return files, nil
}

func endings() []string {
	var all []string
	for _, rt := range runtimes() {
		all = append(all, rt.Extensions()...)
	}
	return all
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
	p := program.OpenProject(config.Project(at.dir), at.home, runtimes())
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
