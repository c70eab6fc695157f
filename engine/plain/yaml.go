package plain

import "strings"

// yamlWords maps messages of the YAML library about common mistakes to plain ones.
var yamlWords = []struct{ said, means string }{
	{"mapping values are not allowed in this context",
		`got ": " within a value: put the value in quotes`},
	{"block sequence entries are not allowed in this context",
		`got "- " within a value: begin the list on a line of its own`},
	{"did not find expected key",
		"want a key here: look at the quotes and the indentation of this line and the one before"},
	{"did not find expected '-' indicator", `want "- " here: the lines before are a list`},
	{"did not find expected ',' or ']'", `want "," or "]"`},
	{"did not find expected ',' or '}'", `want "," or "}"`},
	{"did not find expected node content", "want a value here"},
	{"could not find expected ':'", `want ": " after the key`},
	{"found character that cannot start any token",
		"got a tab, or a character that begins no value: indent with spaces, and put the value " +
			"in quotes"},
	{"found a tab character that violates indentation", "got a tab: indent with spaces"},
	{"found a tab character where an indentation space is expected",
		"got a tab: indent with spaces"},
	{"found unexpected end of stream", "the text ends within quotes"},
	{"found unknown escape character",
		"got an escape that YAML does not know: put the value in single quotes"},
}

// YAML rewords a message of the YAML library for people. The line number stays, if there is one.
func YAML(said string) string {
	said = strings.TrimPrefix(said, "yaml: ")
	for _, w := range yamlWords {
		said = strings.Replace(said, w.said, w.means, 1)
	}
	return said
}
