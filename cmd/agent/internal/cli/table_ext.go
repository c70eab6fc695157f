package cli

import "slices"

// jsonProject returns the flags of commands that ask nothing.
func jsonProject() []Flag { return append([]Flag{jsonFlag}, projectFlag...) }

// languages returns the flags that choose the language of a script.
func languages() []Flag {
	return []Flag{{Name: "lua", About: "in Lua, the default"}, {Name: "js", About: "in JavaScript"},
		{Name: "ts", About: "in TypeScript"}}
}

func importCommand() Command {
	return Command{Name: "ext import", Group: groupKeep,
		Flags: []Flag{{Name: "from", About: "only the extensions of the agent `HOST`"},
			{Name: "yes", About: "do not ask"}, jsonFlag},
		About: "show the extensions of other agents on this machine, and use them in place if " +
			"you agree"}
}

// keepCommands returns the commands of agent ext for those who use scripts.
func keepCommands() []Command {
	force := Flag{Name: "force",
		About: "replace a script that has your edits; they go to the trash"}
	only := Flag{Name: "only",
		About: "only `FILE`, of a source with several scripts; repeatable"}
	return slices.Concat([]Command{
		{Name: "ext", Group: groupKeep, About: "scripts: get, keep, write and test them"},
		{Name: "ext list", Group: groupKeep,
			Flags: jsonProject(),
			About: "your scripts: state, version, recent calls, grants, where they are from"},
		importCommand(),
		{Name: "ext install", Args: "SOURCE", Kind: File, Group: groupKeep,
			About: "show a script from a path, URL, gist or git repository, and install it if " +
				"you agree",
			More: "SOURCE is ./x.lua or a folder, https://host/x.lua[#sha256=HEX], " +
				"gist:ID[@REV], github:OWNER/REPOSITORY[/PATH][@REF] or git:URL[@REF][//PATH]. " +
				"agent ext help install says more.",
			Flags: slices.Concat(installFlags, []Flag{jsonFlag, only,
				{Name: "as", About: "give the script another name, `FILE`"},
				{Name: "strict", About: "refuse a SOURCE without #sha256=HEX or a commit"}})},
		{Name: "ext update", Args: "[NAME...]", Kind: Script, Group: groupKeep,
			Flags: append(slices.Clip(installFlags), force, jsonFlag),
			About: "show newer versions of installed scripts, and install them if you agree; " +
				"your edits are merged in"},
		{Name: "ext remove", Args: "NAME...", Kind: Script, Flags: jsonProject(), Group: groupKeep,
			About: "remove scripts; agent ext restore NAME brings one back"},
		{Name: "ext restore", Args: "NAME...", Kind: Trashed, Group: groupKeep,
			Flags: jsonProject(),
			About: "bring back what was removed or replaced last"},
		{Name: "ext doctor", Flags: []Flag{jsonFlag}, Group: groupKeep,
			About: "find problems of scripts, with advice; the same as agent doctor"},
		{Name: "ext disable", Args: "[NAME...]", Kind: Script, Group: groupKeep,
			Flags: []Flag{jsonFlag},
			About: "stop loading scripts; without NAME: list those that are disabled",
			More: "A disabled guard does not guard. An agent that is running follows with " +
				"/reload."},
		{Name: "ext enable", Args: "NAME...", Kind: Disabled, Group: groupKeep,
			Flags: []Flag{jsonFlag},
			About: "load disabled scripts again"},
		{Name: "ext accept", Args: "[NAME...]", Kind: Script, Group: groupKeep,
			About: "load new versions that wait for you; without NAME: show them",
			More: "A version waits if a tool of the agent may have written it, or if it asks for " +
				"more than the previous one. agent ext help scripts says when."},
		{Name: "ext forget", Args: "NAME", Group: groupKeep,
			About: "unload a script whose file you deleted while no agent was running"},
		{Name: "ext pin", Args: "NAME...", Kind: Script, Flags: jsonProject(), Group: groupKeep,
			About: "keep scripts at their version: agent ext update leaves them alone"},
		{Name: "ext unpin", Args: "NAME...", Kind: Script, Flags: jsonProject(), Group: groupKeep,
			About: "let pinned scripts be updated again"},
	}, lockCommands(force), []Command{
		{Name: "ext logs", Args: "NAME", Kind: Script, Group: groupKeep,
			Flags: append([]Flag{{Short: "f", Name: "follow",
				About: "keep printing what it writes"}},
				jsonProject()...),
			About: "print what a script has written with ext.log"},
		{Name: "ext gallery", Group: groupKeep,
			About: "list the example scripts, with what they ask for"},
		{Name: "ext add", Args: "NAME", Kind: Gallery, Group: groupKeep,
			About: "copy an example of the gallery to your scripts",
			Flags: append(languages(), Flag{Name: "force",
				About: "replace a script of that name"})},
	})
}

// lockCommands returns those about the lock file and the team.
func lockCommands(force Flag) []Command {
	return []Command{
		{Name: "ext verify", Group: groupKeep,
			Flags: jsonProject(),
			About: "compare what is installed with the lock file; exit 1 if something differs"},
		{Name: "ext sync", Args: "[SOURCE]", Kind: File, Group: groupKeep,
			Flags: append(slices.Clip(installFlags), force, jsonFlag),
			About: "make your scripts equal to the lock file, or to that of a team",
			More: "SOURCE is the scripts.lock of a team, or a folder or repository with one: " +
				"git:URL[@REF][//PATH], github:OWNER/REPOSITORY[/PATH][@REF], " +
				"https://HOST/x.lock or a path. Your own scripts stay. agent ext help install " +
				"says more."},
		{Name: "ext lock", Args: "[PATH...]", Kind: File, Group: groupKeep,
			Flags: []Flag{jsonFlag, {Name: "check", About: "write nothing; exit 1 if it differs"}},
			About: "write the scripts.lock of a team, for the scripts in this folder",
			More: "PATH is a script or a folder; without it, all below this folder are named. " +
				"What the file names by an address stays. agent ext help team-rules says more."},
		{Name: "ext share", Args: "NAME", Kind: Script, Flags: jsonProject(), Group: groupKeep,
			About: "print a script as Markdown that others can install from"},
	}
}

// writeCommands returns the commands of agent ext for those who write scripts.
func writeCommands() []Command {
	return []Command{
		{Name: "ext new", Group: groupWrite,
			Args:  "NAME",
			About: "create a script from a template",
			Flags: append(languages(), Flag{Name: "kind",
				About: "what it is for, a `KIND`: guard, tool, command, status or provider",
				Words: []string{"guard", "tool", "command", "status", "provider"}})},
		{Name: "ext dev", Args: "FILE", Kind: File, Group: groupWrite,
			Flags: []Flag{{Name: "end",
				About: "stop that: new versions wait until you trust them"}},
			About: "load a script of the project at each save, until git's HEAD moves",
			More: "FILE is in .agent/scripts of the project. Without this, each new version " +
				"waits until you trust it. agent ext help trust says more."},
		{Name: "ext test", Args: "[NAME...]", Kind: File, Group: groupWrite,
			Flags: []Flag{jsonFlag},
			About: "run the tests of scripts or files; without NAME: of your scripts"},
		{Name: "ext bench", Args: "NAME [SESSION]", Kind: Script, Group: groupWrite,
			Flags: []Flag{jsonFlag}, About: "measure how long a script takes to load and to run",
			More: "NAME is a script, or a file. Its handlers get harmless tool calls, or those " +
				"of SESSION, and made-up events of other kinds, until the times are known well " +
				"enough. The script is alone, and nothing that it does has an effect."},
		{Name: "ext check", Args: "[NAME...]", Kind: File, Group: groupWrite,
			Flags: []Flag{jsonFlag}, About: "find mistakes in scripts without running them"},
		{Name: "ext emit", Args: "EVENT [JSON]", Group: groupWrite,
			Flags: []Flag{jsonFlag}, About: "print what the scripts' handlers do with an event",
			More:    "agent ext help api-events lists the events and their fields.",
			Example: `agent ext emit tool_call '{"tool": "bash", "args": {"command": "rm"}}'`},
		{Name: "ext run", Args: "FILE /COMMAND ARGS", Kind: File, Group: groupWrite,
			Flags:   []Flag{jsonFlag},
			About:   "run a slash command of a script, without other scripts",
			Example: "agent ext run ./todo.lua /todo buy milk"},
		{Name: "ext why", Args: "[CALL]", Flags: []Flag{jsonFlag}, Group: groupWrite,
			About: "say who decided about a tool call; without CALL: the last one",
			More:  "CALL is the id of a call, or its beginning, as agent ext audit lists them."},
		{Name: "ext audit", Group: groupWrite, About: "print the log of all decisions",
			Flags: []Flag{{Name: "script", Kind: Script, About: "of the script `NAME`"},
				{Name: "since", About: "of the last `TIME`, such as 1h"},
				{Name: "verify", About: "check that nobody has changed the log"}, jsonFlag}},
		{Name: "ext replay", Args: "SESSION", Kind: Session, Group: groupWrite,
			Flags: []Flag{jsonFlag},
			About: "list the tool calls of a session that would be decided differently now"},
		{Name: "ext help", Args: "[TOPIC]", Kind: Topic, Group: groupWrite,
			About: "print a page of the documents; without TOPIC: list them"},
		{Name: "ext docs", Group: groupWrite,
			About: "print all that is needed to write a script, for you or a model"},
		{Name: "ext types", Group: groupWrite,
			About: "write type definitions of ext beside your scripts, for editors"},
	}
}
