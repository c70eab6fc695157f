package oracle

import "strings"

// shell passes a text to a shell, or to a command that parses text as a shell does.
func (m *maker) shell(text string) string {
	q, file := m.quote(text), m.name()
	sh := m.pick("bash", "bash", "sh", "dash", "sudo bash", "env bash", "command sh", "exec bash",
		"b'a'sh", "nice -n 1 bash")
	flags := m.pick("-c", "-c", "-c --", "-ec", "-lc", "-xc", "-c -e", "+x -c", "--norc -c",
		"-o pipefail -c", "-eo pipefail -c", "-euo pipefail -c", "-O extglob -c", "-ceu",
		"--posix -c")
	if !strings.Contains(sh, "bash") {
		flags = m.pick("-c", "-ec", "-c --", "-c -e")
	}
	switch m.IntN(40) {
	case 38:
		return m.pick("zork --exec ", "zork --exec=", "zork -v --exec ", "zork bash -c ",
			"zork env bash -c ", "zork cmd:") + q
	case 39:
		return "X=" + q + "; zork --exec \"$X\""
	case 35:
		return "git -c alias.x=" + m.quote("!"+text) + " x; " + text
	case 36:
		return sh + " " + m.pick("/dev/stdin", "/proc/self/fd/0", "/dev/fd/0",
			"./../../../../../../../dev/stdin") + " <<< " + q
	case 0:
		return "eval " + q
	case 1:
		return "eval -- " + q
	case 2:
		return "builtin eval " + q
	case 3:
		return sh + " <<< " + q
	case 4:
		return sh + m.pick("", " -s", " -s a b", " -", " -e") + " <<'E" + file + "'\n" + text +
			"\nE" + file + "\n"
	case 5:
		return "echo " + q + " | " + sh
	case 6:
		return "printf '%s\\n' " + q + " | " + sh
	case 7:
		return "cat <<'E" + file + "' | " + sh + "\n" + text + "\nE" + file + "\n"
	case 8:
		return m.pick(". ", "source ") + m.pick("/dev/stdin <<< "+q, "<(echo "+q+")",
			"/dev/fd/9 9<<< "+q)
	case 9:
		return "bash <(echo " + q + ")"
	case 10:
		return "echo " + q + " > " + file + "; " + m.pick("bash ", ". ./", "source ./", "sh ./",
			"exec bash ", "bash < ", "bash <<< true < ", "bash -x ", "bash 0< ",
			"echo true | bash < ", "bash --rcfile "+file+" -i <<< true #") + file
	case 11:
		return "echo " + q + " > " + file + "; chmod +x " + file + "; " + m.pick("./"+file,
			`"$PWD/`+file+`"`, "PATH=.:$PATH "+file, "env ./"+file,
			"cp "+file+" g"+file+"; ./g"+file)
	case 12:
		return "echo " + q + " | bash 3<<< true"
	case 13:
		return "{ echo " + q + "; echo true; } | bash"
	case 14:
		return "(printf '%s\\n' " + q + "; echo true) | " + sh
	case 15:
		return "echo() { printf '%s\\n' " + q + "; }; echo true | bash"
	case 16:
		return "exec 3<<< " + q + "; bash <&3"
	case 17:
		return "bash 0<&3 <<< true 3<<< " + q + m.pick("", " <&3")
	case 18:
		return "env -S " + m.quote("bash -c "+m.quote(text))
	case 19:
		return "env -S 'bash -c' " + q
	case 20:
		return "ssh host " + m.quote(text)
	case 21:
		return "ssh host <<< " + q
	case 22:
		return "echo " + m.quote(strings.ReplaceAll(text, "\n", " ")) + ` | xargs -I{} sh -c {}`
	case 23:
		return "echo zz | xargs -I{} bash -c " + q
	case 24:
		return "find . -maxdepth 0 -exec bash -c " + q + m.pick(` \;`, ` {} \;`, " _ {} +")
	case 25:
		return "BASH_ENV=<(echo " + q + ") bash -c :"
	case 26:
		return "echo " + m.quote("unset BASH_ENV; "+text) + " > " + file + "; " +
			m.pick("BASH_ENV="+file+" bash -c :", "export BASH_ENV="+file+"; bash -c :",
				"read BASH_ENV <<< "+file+"; export BASH_ENV; bash -c :",
				"printf -v BASH_ENV "+file+"; export BASH_ENV; bash -c :",
				"env BASH_ENV="+file+" bash -c :", "set -a; : ${BASH_ENV:="+file+"}; bash -c :",
				"declare -n n=BASH_ENV; set -a; n="+file+"; bash -c :")
	case 27:
		return "python3 -c " + m.quote("import os; os.system("+`"""`+strings.NewReplacer(`\`, `\\`,
			`"`, `\"`).Replace(text)+`""")`)
	case 28:
		return "perl -e " + m.quote("system($ENV{X})")[:0] + "'system(shift)' " + q
	case 29:
		return "awk 'BEGIN { system(ARGV[1]) }' " + q
	case 30:
		return "X=" + q + "; " + m.pick("eval \"$X\"", "bash -c \"$X\"",
			"export X; bash -c 'eval \"$X\"'", "echo \"$X\" | sh", "bash <<< $X", "bash <<< \"$X\"",
			"trap \"$X\" EXIT", ": ${X@P}")
	case 31:
		return "sudo -s <<< " + q
	case 32:
		return "mapfile -C " + m.quote(text+"; :") + " -c1 " + file + " <<< x"
	case 33:
		return "tee >(" + sh + ") <<< " + q + " > /dev/null; sleep 0.1"
	case 34:
		return "exec > >(bash); echo " + q + "; exec > /dev/null"
	}
	return sh + " " + flags + " " + q + m.pick("", "", " _", " a b")
}

// block puts a text into a compound command.
func (m *maker) block(text string) string {
	f, nl := m.name(), "\n" // a here-document in text needs its own line
	switch m.IntN(48) {
	case 40:
		return "(echo ''#; " + text + nl + ")"
	case 41:
		return "{ echo \"a\"#; " + text + nl + "}"
	case 42:
		return m.pick("(", "{ ", "if ", "! (", "x=$(")[:0] + "(echo " + m.pick("$(:)", "${x}",
			"`:`", "$x", "a\\\\", "$((1))", "'a'$x", "{a,b}", "*") + "#; " + text + nl + ")"
	case 43:
		return "echo a #'\n" + text + nl + "#'"
	case 44:
		return "echo a;#$(\n" + text + nl + "# )"
	case 45:
		return "(#'\n" + text + nl + "#'\n)"
	case 46:
		return "echo $(echo ''#; " + text + nl + ")"
	case 47:
		return "case a in a) echo \"\"#;;\nesac; [[ a == ''# ]] ; " + text
	case 0:
		return "(" + text + nl + ")"
	case 1:
		return "{ " + text + nl + "}"
	case 2:
		return "if :; then " + text + nl + "fi"
	case 3:
		return "if " + text + nl + "then :; fi"
	case 4:
		return "if false; then :; elif " + text + nl + "then :; else :; fi"
	case 5:
		return "for i in a; do " + text + nl + "done"
	case 6:
		return "for ((i = 0; i < 1; i++)); do " + text + nl + "done"
	case 7:
		return "while :; do " + text + nl + "break; done"
	case 8:
		return "until " + text + nl + "do break; done"
	case 9:
		return "case a in b) ;; a) " + text + nl + ";; esac"
	case 10:
		return "case a in a) ;;& *) " + text + nl + "esac"
	case 11:
		return "select i in a; do " + text + nl + "break; done <<< 1"
	case 12:
		return f + "() { " + text + nl + "}; " + f
	case 13:
		return "function " + f + " { " + text + nl + "}; " + f
	case 14:
		return f + "() ( " + text + nl + "); " + f
	case 15:
		return "function ls() if :; then " + text + nl + "fi; ls"
	case 16:
		return "{ " + text + nl + "} &"
	case 17:
		return ": | { " + text + nl + "}"
	case 18:
		return "{ " + text + nl + "} | cat"
	case 19:
		return ": |& { " + text + nl + "} |& cat"
	case 20:
		return ": && { " + text + nl + "}"
	case 21:
		return "false || { " + text + nl + "}"
	case 22:
		return "! { " + text + nl + "}"
	case 23:
		return "time { " + text + nl + "}"
	case 24:
		return "coproc C" + f + " { " + text + nl + "}"
	case 25:
		return "{ " + text + nl + "} > out 2>&1 < /dev/null"
	case 26:
		return "true # x\n" + text
	case 27:
		return "cd . && " + text
	case 28:
		return "set -e; set -- a b; " + text
	case 29:
		return "for i; do :; done; " + text + nl + ":"
	case 30:
		return "[[ a == b ]] || { " + text + nl + "}"
	case 31:
		return "((0)) || { " + text + nl + "}"
	case 32:
		return "test a = b || (" + text + nl + ")"
	case 33:
		return "cat <<'E' >/dev/null\nx $(y) '\nE\n" + text
	case 34:
		return "cat <<E\n'\nE\n" + text
	case 35:
		return "echo 'a\nb' \"c\nd\"; " + text
	case 36:
		return "echo a\\\n b; " + text
	case 37:
		return "echo {a,b}{c,d} $'a\\'b' ${x:-'}'} \"${x:-'}\" $((1 << 2)) $((2#1)); " + text
	case 38:
		return "echo ${#x} $# a#b; " + text
	}
	return "time -p " + text
}

// trick runs a text in an unexpected place.
func (m *maker) trick(text string) string {
	q, v, sub := m.quote(text), m.name(), "$("+text+"\n)"
	if m.odds(4) && !strings.Contains(text, "<<") {
		sub = "`" + strings.NewReplacer(`\`, `\\`, "`", "\\`", "$", `\$`).Replace(text) + "`"
	}
	plain := "$(" + strings.ReplaceAll(text, "'", `'\''`) + "\n)" // in single quotes
	switch m.IntN(66) {
	case 46:
		return "[[ a == @(b|" + sub + ") ]]"
	case 47:
		return "shopt -s extglob\necho @(b|" + sub + ")"
	case 48:
		return "case a in +(" + sub + ")) ;; esac"
	case 49:
		return v + "=abc; echo ${" + v + "//@(" + sub + ")/}"
	case 50:
		return "[[ a =~ (b|" + sub + ") ]]"
	case 51:
		return "declare -A " + v + "=([" + sub + "k]=1)"
	case 52:
		return v + "=([" + sub + "0]=1)"
	case 53:
		return "echo ${" + v + "[" + sub + "0]} ${#" + v + "[" + sub + "0]}"
	case 54:
		return "(( " + v + "[" + sub + " 0] ))"
	case 55:
		return "for ((i = 0 " + sub + "; i < 1; i++)); do :; done"
	case 56:
		return "cat <<E\n$(( " + sub + " 0 ))\nE"
	case 57:
		return "echo ${" + v + m.pick(":?", ":=", "?", ":+", "-", "#", "%%", "^", "/#") + sub + "}"
	case 58:
		return "BASH_ALIASES[ls]=" + q + "; shopt -s expand_aliases\nls"
	case 59:
		return "shopt -s expand_aliases; " + m.pick("declare", "printf -v", "read") +
			" 'BASH_ALIASES[ls]" + m.pick("=x'", "' "+q, "' <<< "+q) + "\nls"
	case 60:
		return "bash ../../../../../../../../../dev/fd/3 3<<< " + q
	case 61:
		return "cd /dev/fd && bash 3 3<<< " + q
	case 62:
		return "ln -s /dev/stdin l" + v + "; bash l" + v + " <<< " + q
	case 63:
		return "mkfifo p" + v + "; echo " + q + " > p" + v + " & bash p" + v
	case 64:
		return "exec {" + v + "}<<< " + sub + "; : <&$" + v
	case 65:
		return "echo \"$(cat <<'E'\n$(x) ` \" '\nE\n)\"; " + text
	case 0:
		return "echo " + sub
	case 1:
		return `: "a` + sub + `b"`
	case 2:
		return "cat <(" + text + "\n)"
	case 3:
		return ": > >(" + text + "\n); sleep 0.05"
	case 4:
		return v + "=" + sub
	case 5:
		return v + "=(a " + sub + ")"
	case 6:
		return "declare " + v + "=" + sub
	case 7:
		return "[[ -n " + sub + " ]]"
	case 8:
		return "(( " + sub + " 0 ))"
	case 9:
		return "echo $(( 0 + " + sub + " 0 ))"
	case 10:
		return "echo ${" + v + ":-" + sub + "}"
	case 11:
		return "echo \"${" + v + ":-" + sub + "}\""
	case 12:
		return "cat <<E\n" + sub + "\nE"
	case 13:
		return "cat <<< " + sub
	case 14:
		return "for i in " + sub + "; do :; done"
	case 15:
		return "case " + sub + " in *) ;; esac"
	case 16:
		return "case a in " + sub + ") ;; esac"
	case 17:
		return v + "[" + sub + "0]=1"
	case 18:
		return v + "=abc; echo ${" + v + ":" + sub + "0} "
	case 19:
		return v + "=abc; echo ${" + v + "/" + sub + "/}"
	case 20:
		return "echo $[ " + sub + " 0 ]"
	case 21:
		return ": > " + sub + "out"
	case 22:
		return "export " + v + "=" + sub
	case 23:
		return "trap " + q + " EXIT"
	case 24:
		return "trap -- " + q + " " + m.pick("DEBUG; :", "ERR; false", "USR1; kill -USR1 $$; :",
			"0", "RETURN; f() { :; }; set -T; f")
	case 25:
		return "shopt -s expand_aliases; alias " + v + "=" + q + "\n" + v
	case 26:
		return "shopt -s expand_aliases\nalias ls=" + q + "\nls"
	case 27:
		return "PS4='" + plain + "' bash -xc :"
	case 28:
		return m.pick("PS4=", "export PS4=", "declare PS4=", "readonly PS4=", "printf -v PS4 ",
			"read -rd '' PS4 <<< ") + "'" + plain + "'; set -x; :"
	case 29:
		return "for PS4 in '" + plain + "'; do set -x; :; done"
	case 30:
		return "unset PS4; : \"${PS4:='" + plain + "'}\"; : \"${PS4:=\"\\$(:)\"}\"; set -x; :"
	case 31:
		return "declare -n " + v + "=PS4; " + v + "='" + plain + "'; set -x; :"
	case 32:
		return v + "='a[" + plain + "]'; " + m.pick("(( "+v+" ))", "echo $(("+v+"))",
			"[[ "+v+" -eq 0 ]]", "let x="+v, "declare -i x="+v, "echo ${y:"+v+"}", "y[$"+v+"]=1",
			"test -v \"$"+v+"\"", "((x=$"+v+"))")
	case 33:
		return "[[ 'a[" + plain + "]' -eq 0 ]]"
	case 34:
		return m.pick("test -v", "[ -v", "printf -v", "read", "unset", "let", "declare -i x=0; x=",
			"wait -p")[:] + " 'a[" + plain + "]' " + m.pick("x", "]") + " <<< x"
	case 35:
		return v + "='" + plain + "'; : \"${" + v + "@P}\""
	case 36:
		return v + "='a['; " + v + "+='" + plain + "]'; (( " + v + " ))"
	case 37:
		return "set -- 'a[" + plain + "]'; (( $1 ))"
	case 38:
		return "read -r " + v + " <<< 'a[" + plain + "]'; (( " + v + " ))"
	case 39:
		return "f() { (( $1 )); }; f 'a[" + plain + "]'"
	case 40:
		return v + "='a[$'; x='" + plain[1:] + "]'; (( $" + v + "$x ))"
	case 41:
		return "command_not_found_handle() { " + text + "\n}; nosuch"
	case 42:
		return "PS1='" + plain + "' bash --norc -i <<< :"
	case 43:
		return "printf -v " + v + " '%s' 'a[" + plain + "]'; echo $((" + v + "))"
	case 44:
		return "echo 'a[" + plain + "]' > out; x=$(cat out); ((x))"[:0] + "exec {fd}> >(cat); : " +
			sub
	}
	return "source <(echo " + q + ")"
}
