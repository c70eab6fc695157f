// This file plugs in what users and projects write down: skills and slash commands in Markdown, and rules about tool calls.

package main

import (
	"github.com/agentscripts/agent/agent/command"
	"github.com/agentscripts/agent/agent/config"
	"github.com/agentscripts/agent/agent/permission"
	"github.com/agentscripts/agent/agent/skill"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/spec"
)

// addFiles makes skills and slash commands of the user's and the project's Markdown files.
func (a *app) addFiles(at place, project string) error {
	a.skills = skill.New(skill.Options{Home: at.home, User: at.user, Project: project, Warn: a.warn, Builtin: builtinSkills()})
	a.commands = command.New(command.Options{Engine: a.engine, Home: at.home, User: at.user, Project: project, Reserved: reserved(), Warn: a.warn})
	_, err := a.engine.Install(a.skills.Plugin())
	return err
}

// builtinSkills are the skills that come with the program.
func builtinSkills() []skill.Builtin {
	return []skill.Builtin{{Name: "agent-scripts", Text: spec.Guide,
		Description: "How to write a script for this program, agent: guards, tools, slash commands and handlers of events, in one Lua or JavaScript file in ~/.agent/scripts. " +
			"It has the whole API. Read it before you write or change such a script."}}
}

func (a *app) warn(text string) {
	a.engine.Notify(nil, "agent", engine.Notice{Text: text, Level: "warn"})
}

// rules are the user's standing rules, of config.toml and of the answer "always".
func (a *app) rules(at place, settings *config.Config) *permission.Rules {
	r := settings.Rules
	return permission.New(permission.Options{Home: at.home, User: at.user, Project: config.Project(at.dir), Deny: r.Deny, Ask: r.Ask, Allow: r.Allow,
		Unread: r.Unread, Warn: a.warn})
}
