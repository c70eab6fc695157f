package shell

import (
	goflag "flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = goflag.Bool("update", false, "write docs/shell.md")

// ways says what each kind of program does with its words, in the order of the page.
var ways = []struct {
	way  how
	says string
}{
	{lists, "prints names of its operands, or counts"}, {reads, "reads its operands"},
	{behindOne, "reads its operands, except for the first"}, {writes, "writes its operands"},
	{changes, "writes its operands, except for the first"},
	{toLast, "reads its operands, and writes the last one"},
	{moves, "writes all operands"}, {rewrites, "reads its operands, and writes them or others"},
	{likeSed, "reads its operands; writes them with -i"}, {likeDD, "if= and of="},
	{likeCurl, "files in flags, in addresses, and behind @"},
	{likeFind, "searches its first operands; tests, -exec and -delete are followed"},
	{likeFd, "searches its operands after the first"},
	{likeTar, "by its letters"}, {likeZip, "writes the first operand, and reads the others"},
	{likeGit, "by its subcommand"}, {likeMktemp, "creates a file"},
	{likeFlock, "writes the first operand, and runs the others"},
	{likeTime, "writes the file of -o, and runs its operands"},
	{anyWrites, "reads its operands; the names of what it writes are unknown"},
	{otherPlace, "runs its operands in another place"},
}

// TestDocs checks that the tables of docs/shell.md are those of the code.
func TestDocs(t *testing.T) {
	var programs, reasons strings.Builder
	programs.WriteString("| what it does with its words | programs |\n|---|---|\n")
	seen := map[how]bool{}
	for _, w := range ways {
		names := strings.Fields(files[w.way])
		slices.Sort(names)
		seen[w.way] = true
		fmt.Fprintf(&programs, "| %s | `%s` |\n", w.says, strings.Join(names, "` `"))
	}
	for way := range files {
		if !seen[way] {
			t.Errorf("%s: say what such a program does", files[way])
		}
	}
	reasons.WriteString("| cause | what is unknown | what makes it certain |\n|---|---|---|\n")
	for _, c := range causes {
		fmt.Fprintf(&reasons, "| `%s` | %s | %s |\n", c.cause, c.says, c.certain)
	}
	const page = "../../docs/shell.md"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	want := string(text)
	for name, table := range map[string]string{"programs": programs.String(),
		"causes": reasons.String()} {
		begin := "<!-- " + name + ": written by go generate -->\n"
		part := regexp.MustCompile(`(?s)` + regexp.QuoteMeta(begin) + `.*?<!-- end -->`)
		want = part.ReplaceAllLiteralString(want, begin+table+"<!-- end -->")
	}
	switch {
	case *update:
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	case want != string(text):
		t.Errorf("%s is out of date: run go generate ./engine/shell", page)
	}
}
