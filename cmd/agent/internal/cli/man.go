// This file writes the manual page.

package cli

import "strings"

// Man returns the manual page of the program, for man.
func Man(version string) string {
	var b strings.Builder
	b.WriteString(".TH AGENT 1 \"\" \"agent " + roff(version) + "\"\n" +
		".SH NAME\nagent \\- a coding agent for the terminal, extended with one-file scripts\n" +
		".SH SYNOPSIS\n.B agent\n[flags] [prompt]\n.br\n.B agent -p\n[flags] [prompt]\n.br\n" +
		".B agent\nCOMMAND ...\n")
	for _, group := range groups() {
		b.WriteString(".SH " + strings.ToUpper(roff(group)) + "\n")
		for _, c := range Commands() {
			if c.Group != group {
				continue
			}
			b.WriteString(".TP\n.B agent " + roff(strings.TrimSpace(c.Name+" "+c.Args)) + "\n" +
				roff(c.About) + "\n")
			if c.More != "" {
				b.WriteString(".RS\n.nf\n" + roff(c.More) + "\n.fi\n.RE\n")
			}
			if c.Name == "" {
				continue // its flags have a section of their own
			}
			for _, f := range c.Flags {
				b.WriteString(".RS\n.TP\n.B " + roff(strings.TrimSpace(f.written())) + "\n" +
					roff(f.About) + "\n.RE\n")
			}
		}
	}
	root, _ := Named("")
	b.WriteString(".SH FLAGS\n")
	for _, f := range root.Flags {
		b.WriteString(".TP\n.B " + roff(strings.TrimSpace(f.written())) + "\n" + roff(f.About) +
			"\n")
	}
	codes, environment, _ := strings.Cut(ending, "\n")
	b.WriteString(".SH EXIT STATUS\n" + roff(strings.TrimPrefix(codes, "exit codes: ")) +
		"\n.SH ENVIRONMENT\n" + roff(strings.TrimPrefix(environment, "environment: ")))
	return b.String()
}

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
