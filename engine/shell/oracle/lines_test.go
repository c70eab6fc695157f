package oracle

import "strings"

// target returns the words of a denied command, in one of several equivalent spellings.
func (m *maker) target() []string {
	if m.odds(3) {
		words := []string{"git"}
		switch m.IntN(6) {
		case 0:
			words = append(words, "-C", ".")
		case 1:
			words = append(words, "-c", "a.b=c", "--no-pager")
		case 2:
			words = append(words, "--git-dir", ".")
		}
		words = append(words, "push")
		switch m.IntN(6) {
		case 0:
			return append(words, "-f")
		case 1:
			return append(words, "origin", "main", "-uf")
		case 2:
			return append(words, "--forc", "origin")
		case 3:
			return append(words, "-o", "x", "--force")
		case 4:
			return append(words, "origin", "+main")
		}
		return append(words, "--force")
	}
	switch m.IntN(8) {
	case 0:
		return []string{"rm", "-rf", "zz"}
	case 1:
		return []string{"rm", "-f", "-R", "zz"}
	case 2:
		return []string{"rm", "zz", "--rec"}
	case 3:
		return []string{"rm", "-f", "--", "zz"}[:2+2*m.IntN(2)]
	case 4:
		return []string{"rm", "zz", "-fr"}
	}
	return []string{"rm", "-r", "zz"}
}

// simple returns a simple command that runs the target, and the commands that must come before it.
func (m *maker) simple() (before, line string) {
	var words []string
	for i, w := range m.target() {
		if m.odds(7) {
			b, out := m.hide(w)
			before, w = before+b, out
		} else {
			w = m.spell(w)
		}
		if words = append(words, w); m.odds(12) {
			words = append(words, m.pick("2>&1", ">/dev/null", "2>/dev/null", ">out", "</dev/null",
				"<<<x", "{fd}>out", "9<>out", ">|out", "&>out"))
		} else if i > 0 && m.odds(12) {
			words = append(words, m.pick("$"+m.name(), "$(:)", "${"+m.name()+":-}", "\\\n", "{a,b}",
				"?m", "x*y"))
		}
	}
	line = strings.Join(words, m.pick(" ", " ", " ", "  ", "\t", " \\\n"))
	switch m.IntN(12) {
	case 0:
		line = ">out " + line
	case 1:
		line = "A=1 B='' " + line
	case 2:
		line = "2>&1 <<<x A=b " + line
	}
	return before, line
}

// whole returns a line that runs the target with all its words hidden at once.
func (m *maker) whole() string {
	words := m.target()
	text, v := strings.Join(words, " "), m.name()
	switch m.IntN(22) {
	case 0:
		return "{" + strings.Join(words, ",") + "}"
	case 1:
		return "IFS=,; " + v + "=" + strings.Join(words, ",") + "; $" + v
	case 2:
		return "set -- " + text + "; " + m.pick(`"$@"`, "$@", "$*", "$1 $2 $3", `"$1" "${@:2}"`)
	case 3:
		return v + "=(" + text + `); "${` + v + `[@]}"`
	case 4:
		return v + "=(" + strings.Join(words[1:], " ") + "); " + words[0] + ` "${` + v + `[@]}"`
	case 5:
		return "$(echo " + text + ")"
	case 6:
		return "`echo " + text + "`"
	case 7:
		return strings.Join(words, m.pick("${IFS}", "$IFS", "${IFS:0:1}"))
	case 8:
		return "read -a " + v + " <<< " + m.quote(text) + `; "${` + v + `[@]}"`
	case 9:
		return "echo " + text + " | xargs " + m.pick("env", "-n9 env", "timeout 5", "nice",
			"-L1 command", "sudo", "-0 -d ' ' env", "-r setsid")
	case 10:
		return "printf '%s\\n' " + strings.Join(words[1:], " ") + " | xargs " + m.pick("", "-n9 ",
			"-t ", "-P2 -n9 ") + words[0]
	case 11:
		return "echo " + words[0] + " | xargs " + m.pick("-I{} {}", "-IX X", "-I X X", "-i {}",
			"-iX X", "--replace=X X", "--replace {}", "-0I X X", "-tIX X", "-I X env X",
			"--repl=X X") + " " + strings.Join(words[1:], " ")
	case 12:
		return "while read " + v + "; do $" + v + "; done <<< " + m.quote(text)
	case 13:
		return "bash -c " + m.pick(`'"$@"' _ `, `'$0 "$@"' `, `'exec "$@"' x `, `'"$0" "$@"' `) +
			text
	case 14:
		return "bash -c '" + words[0] + ` "$0" "$@"' ` + strings.Join(words[1:], " ")
	case 15:
		return "f" + v + `() { "$@"; }; f` + v + " " + text
	case 16:
		return "f" + v + "() { " + words[0] + ` "$@"; }; f` + v + " " + strings.Join(words[1:], " ")
	case 17:
		return "printf -v " + v + " '%s ' " + text + "; $" + v
	case 18:
		return "coproc " + text
	case 19:
		return "echo '" + strings.Join(words[1:], " ") + "' | { read -r " + v + "; " + words[0] +
			" $" + v + "; }"
	case 20:
		return "find . -maxdepth 0 $(echo -exec " + text + " ';')"
	}
	return v + "=" + m.quote("-exec "+text+" ;") + "; find . -maxdepth 0 $" + v
}

// line returns a command line that runs a target in depth layers.
func (m *maker) line(depth int) string {
	if depth <= 0 {
		if m.odds(5) {
			return m.whole()
		}
		before, text := m.simple()
		if m.odds(3) {
			text = m.prefix(text)
		}
		return before + text
	}
	inner := m.line(depth - 1 - m.IntN(2))
	switch m.IntN(3) {
	case 0:
		return m.shell(inner)
	case 1:
		return m.block(inner)
	}
	return m.trick(inner)
}

// prefix adds a wrapper to a simple command.
func (m *maker) prefix(text string) string {
	p := m.pick("env ", `env -i PATH="$PATH" `, "env A=b - PATH=$PATH ", "env -u X ",
		"env -vS 'env A=b' ", "command ", "builtin command ", "command -- ", "command exec ",
		"exec ", "exec -a x ", "exec -c env PATH=\"$PATH\" ",
		"nohup ", "timeout 5 ", "timeout -k 1 5 ", "timeout --signal=KILL 5 ", "timeout --foreg 5 ",
		"nice ", "nice -n 5 ", "nice -5 ", "nice --adj=3 ", "setsid -w ", "stdbuf -o L ",
		"stdbuf -oL ", "time ", "time -p ", "! ", "! time ",
		"sudo ", "sudo -u x ", "sudo -E -- ", "sudo A=b ", "doas -u x ", "echo zz | xargs ",
		"echo zz | xargs -n1 ", "echo zz | xargs -I{} ", "echo zz | xargs -0 env ",
		"echo zz | xargs -I % ", "xargs -a /dev/null ",
		"sudo env nice timeout 9 ", "flock lock ", "coproc ", "ssh host ", "ssh -p 1 u@host ",
		"env -C . ", "env --chdir=. ", "env -S'nice -n 5' ", "env -S 'A=b' ",
		"split -l 1 --filter ")
	if strings.HasPrefix(p, "split") {
		return "echo | split --filter=" + m.quote(text)
	}
	if m.odds(5) {
		return "find . -maxdepth 0 " + m.pick("-exec", "-execdir", "-type d -exec",
			"-name . -o -exec") + " " + text + m.pick(` \;`, ` ';'`, " {} +", ` {} \;`, " + \\;")
	}
	return p + text
}
