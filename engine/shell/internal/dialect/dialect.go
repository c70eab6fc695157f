// Package dialect recognizes what texts in the languages of other programs do: those of databases
// and of managers of packages, and the settings of wget.
package dialect

import (
	"regexp"
	"strings"

	"github.com/agentscripts/agent/engine/lazyregexp"
)

// aptRuns matches settings of apt and dpkg that are commands.
var aptRuns = lazyregexp.New(`(?i)-invoke|::pager|dir::bin`)

// databaseRuns matches the commands of sqlite3 and psql that run a program, and mysqlRuns those of
// mysql.
var (
	databaseRuns = lazyregexp.New(`\.sys|\\!|\.(once|output|import|o|on)\b.*\||` +
		`\\(g|o|gx|copy)\b.*\||(?i)\bprogram\s+['"]|` + "\\\\set .*`")
	mysqlRuns = lazyregexp.New(`(?m)system |(^|;|\s)(pager|\\P)\s+\S`)
)

// managerRuns matches settings of npm, yarn and cargo that are commands.
var managerRuns = lazyregexp.New(`(?im)script-?shell|yarn-?path\s*[=:]|` +
	`^\s*(shell|git|editor|viewer|browser|init-module)\s*=|` +
	`\b(runner|linker|rustc(-workspace)?-wrapper|rustc|rustdoc|credential-provider)\s*=`)

// runners are the programs whose texts are known, with what else runs a program in them.
var runners = map[string]func() *regexp.Regexp{"sqlite3": aptRuns, "psql": aptRuns,
	"mysql": mysqlRuns, "mariadb": mysqlRuns, "apt": aptRuns, "apt-get": aptRuns, "dpkg": aptRuns,
	"npm": managerRuns, "npx": managerRuns, "yarn": managerRuns, "pnpm": managerRuns,
	"cargo": managerRuns}

// managers are the programs among them to which the language of databases means nothing.
var managers = map[string]bool{"npm": true, "npx": true, "yarn": true, "pnpm": true, "cargo": true}

// Knows reports whether Runs knows the texts of a program.
func Knows(program string) bool { return runners[program] != nil }

// Queries reports whether a program is a database, whose texts may run programs.
func Queries(program string) bool {
	return program == "sqlite3" || program == "psql" || program == "mysql" || program == "mariadb"
}

// Runs reports whether a text for a database, or for a manager of packages, makes it run a program.
func Runs(program, text string) bool {
	more := runners[program]
	return more != nil && (more().MatchString(text) || !managers[program] &&
		(strings.Contains(text, ".sh") || databaseRuns().MatchString(text)))
}

// fileCalls matches functions of SQL that read or write a file, fileNames those of them whose file
// is a text, which is looked at as other words are.
var (
	fileCalls = lazyregexp.New(`(?i)` + fileFunctions + `|U&"`)
	fileNames = lazyregexp.New(`(?i)` + fileFunctions + `\s*\(\s*'[^'\\]*'\s*[,)]`)
)

const fileFunctions = `\b(readfile|writefile|load_file|lo_import|lo_export|pg_read_file|` +
	`pg_read_binary_file|pg_file_write)\b`

// ComputesName reports whether a program of SQL may put together the name of a file.
func ComputesName(sql string) bool {
	return len(fileCalls().FindAllString(sql, -1)) > len(fileNames().FindAllString(sql, -1))
}

// plainWget matches settings of wget that name no file.
var plainWget = lazyregexp.New(`(?i)^\s*(robots|https?_?proxy|use_?proxy|ftp_?proxy|no_?proxy|` +
	`quiet|verbose|tries|timeout|wait|user_?agent|referer|header|check_?certificate|` +
	`max_?redirect|retry_?connrefused|continue|quota|limit_?rate|server_?response|` +
	`progress|recursive|mirror|reclevel)\s*=`)

// IsPlainWget reports whether a setting of wget names no file.
func IsPlainWget(setting string) bool { return plainWget().MatchString(setting) }
