// This file writes help. The terminal is asked nothing: the colours are those that it gives the
// sixteen names.

package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Width is the width of help that is not for a terminal.
const Width = 100

// Where help stands in its lines.
const (
	margin    = 2
	indent    = 4
	afterKey  = 2
	leastText = 24 // with less room for what is said of a name, that is on lines of its own
	below     = indent + 4
)

// The styles of help.
const (
	styleTitle   = "\x1b[1;34m"
	styleCommand = "\x1b[36m"
	styleFlag    = "\x1b[35m"
	styleNone    = "\x1b[m"
)

// page is help that is being written.
type page struct {
	strings.Builder
	width  int
	styles bool
}

// Help returns the help of the command with a name, in lines of a width.
func Help(name string, width int, styles bool) string {
	c, _ := Named(name)
	p := &page{width: width, styles: styles}
	about := strings.ToUpper(c.About[:1]) + c.About[1:] + "."
	for text := range strings.SplitSeq(strings.TrimSpace(about+"\n\n"+c.More), "\n") {
		p.text(margin, text)
	}
	under := Under(name)
	use := "agent " + c.Name
	if len(under) > 0 {
		use = strings.TrimSpace(use) + " [command]"
	}
	p.title("usage")
	p.text(indent, p.styled(styleCommand, strings.TrimSpace(use+" "+c.Args))+" [--flags]")
	if c.Example != "" {
		p.title("examples")
		p.WriteString(strings.Repeat(" ", indent) +
			strings.ReplaceAll(c.Example, "\n", "\n"+strings.Repeat(" ", indent)) + "\n")
	}
	p.lists(c, under, append(slices.Clip(flagsOf(c)), helpFlag()))
	return strings.TrimSuffix(p.String(), "\n")
}

// row is a line of a list in help.
type row struct{ style, name, about string }

// lists writes the commands below c and its flags, with all that is said of them in one column.
func (p *page) lists(c Command, under []Command, flags []Flag) {
	heads := []string{"commands"}
	if c.Name == "" || c.Name == "ext" { // others have few
		heads = groups()
	}
	all, last := map[string][]row{}, "flags"
	for _, u := range under {
		head, short := heads[0], strings.TrimPrefix(u.Name, c.Name)
		if len(heads) > 1 {
			head = u.Group
		}
		short = strings.TrimSpace(short + " " + u.Args)
		all[head] = append(all[head], row{styleCommand, short, u.About})
	}
	for _, f := range flags {
		all[last] = append(all[last], row{styleFlag, f.written(), plainAbout(f)})
	}
	column := 0
	for _, rows := range all {
		for _, r := range rows {
			column = max(column, indent+len(r.name)+afterKey)
		}
	}
	for _, head := range append(heads, last) {
		if len(all[head]) > 0 {
			p.title(head)
		}
		for _, r := range all[head] {
			p.row(r, column)
		}
	}
}

// row writes a line of a list, and what is said in it from a column on, or else below the name.
func (p *page) row(r row, column int) {
	name := strings.Repeat(" ", indent) + p.styled(r.style, r.name)
	about := strings.ToUpper(r.about[:1]) + r.about[1:]
	if p.width-column < leastText {
		p.WriteString(name + "\n")
		p.text(below, about)
		return
	}
	lines := wrap(about, p.width-column)
	p.WriteString(name + strings.Repeat(" ", column-indent-len(r.name)))
	p.WriteString(strings.ReplaceAll(lines, "\n", "\n"+strings.Repeat(" ", column)) + "\n")
}

func (p *page) title(text string) {
	p.WriteString("\n" + strings.Repeat(" ", margin) +
		p.styled(styleTitle, strings.ToUpper(text)) + "\n\n")
}

// text writes a paragraph. An empty one is an empty line.
func (p *page) text(indent int, text string) {
	for line := range strings.SplitSeq(wrap(text, p.width-indent), "\n") {
		if line != "" {
			line = strings.Repeat(" ", indent) + line
		}
		p.WriteString(line + "\n")
	}
}

func (p *page) styled(style, text string) string {
	if !p.styles {
		return text
	}
	return style + text + styleNone
}

// wrap breaks a text into lines of a width, between words.
func wrap(text string, width int) string {
	var out strings.Builder
	column := 0
	for word := range strings.FieldsSeq(text) {
		switch {
		case column == 0:
		case column+1+len(word) > width:
			out.WriteByte('\n')
			column = 0
		default:
			out.WriteByte(' ')
			column++
		}
		out.WriteString(word)
		column += len(word)
	}
	return out.String()
}

// flagsOf returns the flags that are listed for a command.
func flagsOf(c Command) []Flag {
	switch c.Name {
	case "", "rpc", "acp":
		return flagsOfAll()
	}
	return c.Flags
}

// Listed returns the flags that are listed for a command, with their hyphens.
func Listed(c *cobra.Command) (names []string) {
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && f.Name != "help" {
			names = append(names, "--"+f.Name)
		}
	})
	return names
}
