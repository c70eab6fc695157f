package sandbox

import (
	"strings"
	"testing"

	"github.com/agentscripts/agent/agent/config"
	"github.com/agentscripts/agent/engine/fence"
)

// TestBecause checks that each part of the policy has a reason.
func TestBecause(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{"home/p/.git/config": "", "home/p/dist/out": "",
		"home/p/.env": "", "home/p/a.pem": "", "home/.ssh/id": "", "home/.agent/config.toml": "",
		"home/.bashrc": "", "home/p/src/x.env/y": "", "guard.lua": "", "home/p/.agent/x": ""})
	home := dir + "/home"
	o := Options{Home: home + "/.agent", User: home, Project: home + "/p", Env: emptyEnv,
		Config:    config.Sandbox{Hidden: []string{"**/*.pem"}},
		Protected: func() []string { return []string{dir + "/guard.lua", home + "/.bashrc"} },
		Rules: func() (writes, reads []string) {
			return []string{home + "/p/dist/**"}, []string{"**/.env", "**/*.env"}
		},
		By: func(what, pattern string) fence.Reason {
			return fence.Reason{Text: what + " " + pattern, Rule: "r"}
		}}
	for refused, want := range map[string]string{
		"write " + home + "/p/dist/out":   "writes " + home + "/p/dist/**",
		"write " + home + "/p/.env":       "reads **/.env",
		"read " + home + "/p/.env":        "reads **/.env",
		"read " + home + "/p/src/x.env/y": "reads **/*.env",
		"read " + home + "/p/a.pem": "[sandbox] hidden in config.toml: " + home +
			"/p/**/*.pem",
		"read " + home + "/.ssh/id":             "it is a place of secrets",
		"write " + home + "/.ssh/id":            "it is a place of secrets",
		"write " + home + "/.agent/config.toml": "the agent's own files are protected",
		"write " + dir + "/guard.lua":           "it is a protected file",
		"write " + home + "/p/.git/config": "programs outside of the sandbox run something " +
			"from it",
		"write " + home + "/p/.agent/x": "programs outside of the sandbox run something " +
			"from it",
		"write " + home + "/p/.git": "it holds files that are protected",
		"write /usr/x": "it is not in the project, a temporary folder " +
			"or a cache",
		"reach the network": "programs have no network in the permission " +
			"mode auto",
		"make a namespace":                       "no program in the sandbox may do that",
		"read " + home + "/p/what/is/not/hidden": "",
	} {
		verb, what, _ := strings.Cut(refused, " ")
		by := New(o).because(verb, what)
		if by.Text != want || by.Named() != (by.Rule != "") {
			t.Errorf("%s: got %+v, want %q", refused, by, want)
		}
	}
	for want, settings := range map[string]config.Sandbox{
		`[sandbox] network = "none" in config.toml`: {Network: "none"},
		"[sandbox] network in config.toml does not name it": {Network: "none",
			Hosts: []string{"x"}},
	} {
		o.Config = settings
		if got := New(o).because("reach", "y"); got.Text != want {
			t.Errorf("got %q, want %q", got.Text, want)
		}
	}
}
