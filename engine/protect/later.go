package protect

import (
	"path"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/shell"
)

// tables are where the work is kept that commands give to other programs. Where the sandbox keeps a
// command from them, it cannot give any: it cannot reach the sockets of those programs either.
var tables = []string{"/var/spool/cron", "/var/spool/at", "/etc/cron.d"}

// schedulers are programs that give work to others, by the first words with which they do not.
var schedulers = map[string][]string{
	"at":          {"-l", "-c", "-r", "-d", "-V"},
	"batch":       {"-V"},
	"crontab":     {"-l", "-r", "-V"},
	"fcrontab":    {"-l", "-r", "-V"},
	"systemd-run": {"--version", "--help", "-h"},
	"launchctl": {"", "list", "print", "print-disabled", "help", "version", "blame", "bootout",
		"unload", "stop", "kill", "remove", "disable", "getenv"},
	"schtasks": {"", "/query", "/end", "/delete", "/?"},
}

// givesWork returns why a command line gives work to a program that does it later, without guards,
// rules and the sandbox; "" = it does not, as far as the line shows it.
func givesWork(command string) string {
	for _, c := range shell.Parse(command).Commands {
		if len(c.Argv) == 0 || !c.Static[0] {
			continue
		}
		name := path.Base(strings.ReplaceAll(c.Argv[0], `\`, "/"))
		name = strings.TrimSuffix(strings.ToLower(name), ".exe")
		others, ok := schedulers[name]
		first := ""
		if len(c.Argv) > 1 {
			first = c.Argv[1]
		}
		if ok && !slices.Contains(others, first) && !slices.Contains(others,
			strings.ToLower(first)) {
			return name + " runs something later, outside of the sandbox and without your guards " +
				"and rules"
		}
	}
	return ""
}
