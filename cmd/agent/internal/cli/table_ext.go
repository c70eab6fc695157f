package cli

import "slices"

// jsonProject returns the flags of commands that ask nothing.
func jsonProject() []Flag { return append([]Flag{jsonFlag}, projectFlag...) }

func importCommand() Command {
	return Command{Name: "ext import", Args: "[--from HOST]", Group: groupKeep,
		Flags: []Flag{{Name: "from", Value: "HOST", About: "only what this one has"},
			{Name: "yes", About: "do not ask"}, jsonFlag},
		About: "show what other programs of this kind have, and use it where it is if you agree"}
}

// keepCommands returns the commands of agent ext for those who use scripts.
func keepCommands() []Command {
	force := Flag{Name: "force",
		About: "replace a script that has your edits; they go to the trash"}
	only := Flag{Name: "only", Value: "FILE",
		About: "of a source with several scripts; repeatable"}
	return []Command{
		{Name: "ext", Group: groupKeep, About: "scripts: get, keep, write and test them"},
		{Name: "ext list", Args: "[--json]", Group: groupKeep,
			Flags: jsonProject(),
			About: "your scripts: state, version, recent calls, grants, where they are from"},
		importCommand(),
		{Name: "ext install", Args: "SOURCE", Kind: File, Group: groupKeep,
			About: "show a script from a path, URL, gist or git repository, and install it if " +
				"you agree",
			More: "SOURCE is ./x.lua or a folder, https://host/x.lua[#sha256=HEX],\n" +
				"gist:ID[@REV], github:OWNER/REPOSITORY[/PATH][@REF] or git:URL[@REF][//PATH].\n" +
				"agent ext help install says more.",
			Flags: slices.Concat(installFlags, []Flag{jsonFlag, only,
				{Name: "as", Value: "FILE", About: "give the script another name"},
				{Name: "strict", About: "want the hash of what an address has, or the commit"}})},
		{Name: "ext update", Args: "[NAME...]", Kind: Script, Group: groupKeep,
			Flags: append(slices.Clip(installFlags), force, jsonFlag),
			About: "the same for newer versions of what is installed; your edits are merged in"},
		{Name: "ext remove", Args: "NAME...", Kind: Script, Flags: jsonProject(), Group: groupKeep,
			About: "remove scripts; agent ext restore NAME brings one back"},
		{Name: "ext restore", Args: "NAME...", Kind: Trashed, Group: groupKeep,
			Flags: jsonProject(),
			About: "bring back what was removed or replaced last"},
		{Name: "ext doctor", Args: "[--json]", Flags: []Flag{jsonFlag}, Group: groupKeep,
			About: "find problems of scripts, with advice; the same as agent doctor"},
		{Name: "ext disable", Args: "[NAME...]", Kind: Script, Group: groupKeep,
			Flags: []Flag{jsonFlag},
			About: "do not load scripts, or list those that are disabled"},
		{Name: "ext enable", Args: "NAME...", Kind: Disabled, Group: groupKeep,
			Flags: []Flag{jsonFlag},
			About: "load them again"},
		{Name: "ext accept", Args: "[NAME...]", Kind: Script, Group: groupKeep,
			About: "show or accept versions of scripts that wait for you"},
		{Name: "ext forget", Args: "NAME", Group: groupKeep,
			About: "do not report NAME, which you deleted, as missing"},
		{Name: "ext pin", Args: "NAME...", Kind: Script, Flags: jsonProject(), Group: groupKeep,
			About: "leave out NAME when others are updated, until ext unpin"},
		{Name: "ext unpin", Args: "NAME...", Kind: Script, Flags: jsonProject(), Group: groupKeep,
			About: "update it with the others again"},
		{Name: "ext verify", Args: "[--json]", Group: groupKeep,
			Flags: jsonProject(),
			About: "compare what is installed with the lock file"},
		{Name: "ext sync", Args: "[SOURCE]", Kind: File, Group: groupKeep,
			Flags: append(slices.Clip(installFlags), force, jsonFlag),
			About: "make your scripts equal to the lock file, or to that of a team",
			More: "SOURCE is the scripts.lock of a team, or a folder or repository with one:\n" +
				"git:URL[@REF][//PATH], github:OWNER/REPOSITORY[/PATH][@REF], " +
				"https://HOST/x.lock\nor a path. Your own scripts stay. agent ext help install " +
				"says more."},
		{Name: "ext lock", Args: "[PATH...]", Kind: File, Group: groupKeep,
			Flags: []Flag{jsonFlag, {Name: "check", About: "write nothing; exit 1 if it differs"}},
			About: "write the scripts.lock of a team, for the scripts in this folder",
			More: "PATH is a script or a folder; without it, all below this folder are named.\n" +
				"What the file names by an address stays. agent ext help team-rules says more."},
		{Name: "ext share", Args: "NAME", Kind: Script, Flags: jsonProject(), Group: groupKeep,
			About: "a script as a text that others can install from"},
		{Name: "ext logs", Args: "NAME [-f]", Kind: Script, Group: groupKeep,
			Flags: append([]Flag{{Short: "f", About: "go on as it writes more"}}, jsonProject()...),
			About: "what a script has written with ext.log"},
		{Name: "ext gallery", Group: groupKeep, About: "list example scripts"},
		{Name: "ext add", Args: "NAME [--force]", Kind: Gallery, Group: groupKeep,
			About: "copy one to your scripts",
			Flags: []Flag{{Name: "force", About: "replace a script"}}},
	}
}

// writeCommands returns the commands of agent ext for those who write scripts.
func writeCommands() []Command {
	return []Command{
		{Name: "ext new", Group: groupWrite,
			Args:  "NAME [--lua|--js|--ts] [--kind guard|tool|command|status|provider]",
			About: "create a script from a template",
			Flags: []Flag{{Name: "lua", About: "in Lua, the default"},
				{Name: "js", About: "in JavaScript"}, {Name: "ts", About: "in TypeScript"},
				{Name: "kind", Value: "KIND", About: "what the script is for",
					Words: []string{"guard", "tool", "command", "status", "provider"}}}},
		{Name: "ext dev", Args: "[--end] FILE", Kind: File, Group: groupWrite,
			Flags: []Flag{{Name: "end", About: "wait for a review again"}},
			About: "load a project's script as you save it, until HEAD moves"},
		{Name: "ext test", Args: "[NAME...] [--json]", Kind: File, Group: groupWrite,
			Flags: []Flag{jsonFlag},
			About: "run the tests of scripts or files; without NAME: of your scripts"},
		{Name: "ext bench", Args: "NAME [SESSION] [--json]", Kind: Script, Group: groupWrite,
			Flags: []Flag{jsonFlag}, About: "how long a script's handlers take, and it to load",
			More: "NAME is a script, or a file. Its handlers get harmless tool calls, or those " +
				"of a\nsession, and made-up events of other kinds, as often as tells how long " +
				"they take.\nNothing runs outside: the script is in a world of its own."},
		{Name: "ext check", Args: "[NAME...] [--json]", Kind: File, Group: groupWrite,
			Flags: []Flag{jsonFlag}, About: "find mistakes in scripts without running them"},
		{Name: "ext emit", Args: "EVENT [JSON]", Group: groupWrite,
			Flags: []Flag{jsonFlag}, About: "run the scripts' handlers of one event"},
		{Name: "ext run", Args: "FILE /COMMAND ARGS", Kind: File, Group: groupWrite,
			Flags: []Flag{jsonFlag}, About: "run a script's command, without other scripts"},
		{Name: "ext why", Args: "[CALL] [--json]", Flags: []Flag{jsonFlag}, Group: groupWrite,
			About: "who decided about a call; without CALL: the last one"},
		{Name: "ext audit", Args: "[--script NAME] [--since 1h] [--verify] [--json]",
			Group: groupWrite, About: "the log of all decisions",
			Flags: []Flag{{Name: "script", Value: "NAME", Kind: Script, About: "of one script"},
				{Name: "since", Value: "1h", About: "of the last hour, for example"},
				{Name: "verify", About: "check that nobody has changed the log"}, jsonFlag}},
		{Name: "ext replay", Args: "SESSION [--json]", Kind: Session, Group: groupWrite,
			Flags: []Flag{jsonFlag},
			About: "the tool calls that would be decided differently now"},
		{Name: "ext help", Args: "[TOPIC]", Kind: Topic, Group: groupWrite,
			About: "a page of the documents, or their names"},
		{Name: "ext docs", Group: groupWrite,
			About: "the guide for script authors on one page, also for models"},
		{Name: "ext types", Group: groupWrite,
			About: "write type definitions of ext, for editors"},
	}
}
