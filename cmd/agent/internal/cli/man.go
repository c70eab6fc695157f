// This file writes the manual page.

package cli

import "strings"

// Man returns the manual page of the program, for man.
func Man(version string) string {
	var b strings.Builder
	root, _ := Named("")
	b.WriteString(".TH AGENT 1 \"\" \"agent " + roff(version) + "\"\n" +
		".SH NAME\nagent \\- " + roff(root.About) + "\n" +
		".SH SYNOPSIS\n.B agent\n[flags] [prompt]\n.br\n.B agent -p\n[flags] [prompt]\n.br\n" +
		".B agent\nCOMMAND ...\n")
	for _, group := range groups() {
		b.WriteString(".SH " + strings.ToUpper(roff(group)) + "\n")
		for _, c := range Commands() {
			if c.Group != group || c.Name == "" {
				continue // the flags of the agent itself have a section of their own
			}
			b.WriteString(".TP\n.B agent " + roff(strings.TrimSpace(c.Name+" "+c.Args)) + "\n" +
				roff(c.About) + "\n")
			if c.More != "" {
				b.WriteString(".RS\n" + roff(c.More) + "\n.RE\n")
			}
			if c.Example != "" {
				b.WriteString(".RS\n.nf\n" + roff(c.Example) + "\n.fi\n.RE\n")
			}
			for _, f := range c.Flags {
				b.WriteString(".RS\n.TP\n.B " + roff(strings.TrimSpace(f.written())) + "\n" +
					roff(plainAbout(f)) + "\n.RE\n")
			}
		}
	}
	b.WriteString(".SH FLAGS\n")
	for _, f := range root.Flags {
		b.WriteString(".TP\n.B " + roff(strings.TrimSpace(f.written())) + "\n" +
			roff(plainAbout(f)) +
			"\n")
	}
	codes, environment, _ := strings.Cut(ending, "\n")
	b.WriteString(".SH EXIT STATUS\n" + roff(strings.TrimPrefix(codes, "Exit codes: ")) +
		"\n.SH ENVIRONMENT\n" + roff(strings.TrimPrefix(environment, "Environment: ")))
	return b.String()
}

// written returns a flag as it stands in a list.
func (f Flag) written() string {
	text := "--" + f.Name
	if f.Short != "" {
		text = "-" + f.Short + ", " + text
	}
	return strings.TrimSuffix(text+" "+f.Value(), " ")
}

func plainAbout(f Flag) string { return strings.ReplaceAll(f.About, "`", "") }

// roff quotes a text for roff: hyphens stay hyphens, and no line is a request.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
