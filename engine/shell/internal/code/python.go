package code

import (
	"slices"
	"strings"
)

// Queries reports whether a program in Python, which runs in a project of Django, only computes,
// prints, and reads or changes records of a database.
func Queries(program string) bool {
	does, ok := readPython(program, true)
	return ok && len(does.Reads)+len(does.Writes) == 0
}

// Python returns what a program in Python does. ok is false if it may do more.
func Python(program string) (e Effects, ok bool) { return readPython(program, false) }

// readPython is Python. records: it may use the tables of a database.
func readPython(program string, records bool) (e Effects, ok bool) {
	if !printable(program) {
		return Effects{}, false
	}
	for i, line := range strings.SplitN(program, "\n", 3) { // it would be decoded in another way
		if i < 2 && strings.Contains(line, "#") && strings.Contains(line, "coding") {
			return Effects{}, false
		}
	}
	p := &python{records: records}
	if p.tokens, ok = pythonTokens(program, 0); !ok {
		return Effects{}, false
	}
	p.modules, p.constant = map[string]string{}, map[string][]string{}
	if !p.imports() {
		return Effects{}, false
	}
	p.constants()
	for i, t := range p.tokens {
		if t.kind == name && !p.skip[i] && !p.harmless(i) || t.is("@", "`", "?", "$", "!") {
			return Effects{}, false
		}
	}
	return p.effects, !p.importsWritten()
}

// importsWritten reports whether the program may import a file that it writes before.
func (p *python) importsWritten() bool {
	opens := -1
	for i, t := range p.tokens {
		if opens < 0 && t.kind == name && (t.value == "open" || t.value == "Path") &&
			p.at(i+1).is("(") {
			opens = i
		}
	}
	late := slices.ContainsFunc(p.tokens[max(opens, 0):], func(t token) bool {
		return t.kind == name && t.value == "import"
	})
	return slices.ContainsFunc(p.effects.Writes, func(file string) bool {
		inside := strings.Contains(file, "/") && !strings.HasSuffix(file, "/__init__.py")
		_, base, _ := strings.Cut("/"+file, "/")
		return strings.HasSuffix(file, ".py") && (late && opens >= 0 || !inside &&
			strings.HasPrefix(base, "_"))
	})
}

// python is a program in Python.
type python struct {
	program
	skip  map[int]bool // tokens of imports
	paths bool         // it may have objects that stand for files
	// it may import tables of a database, and use their methods
	records bool
}

// harmless reports whether name i does no harm.
func (p *python) harmless(i int) bool {
	one := p.tokens[i].value
	if p.at(i - 1).is(".") {
		return p.attribute(i)
	}
	module, imported := p.modules[one]
	switch {
	case one == "import" || strings.HasPrefix(one, "__") && !pythonBuiltins()[one]:
		return false
	case imported && !(p.at(i+1).is("=") && p.inCall(i)):
		return p.at(i+1).is(".") && p.inModule(module, i+2)
	case one == "open":
		return p.opensFile(i + 1)
	case one == "type": // it makes others of its kind
		return p.tellsType(i)
	case one == "Path":
		return p.path(i + 1)
	}
	return one != "opener" && !pythonOthers()[one]
}

// tellsType reports whether name i, which is type, only tells the type of something: its name
// follows, or it is compared.
func (p *python) tellsType(i int) bool {
	after, ok := p.afterBrackets(i + 1)
	t := p.at(after)
	return ok && p.arguments(i+1) == 1 && (t.is("==", "!=") || t.kind == name && t.value == "is" ||
		t.is(".") && p.at(after+1).value == "__name__")
}

// afterBrackets returns the token after the brackets that begin with token i.
func (p *python) afterBrackets(i int) (after int, ok bool) {
	if !p.at(i).is("(", "[") {
		return 0, false
	}
	for open := 0; i < len(p.tokens); i++ {
		if p.at(i).is("(", "[", "{") {
			open++
		} else if p.at(i).is(")", "]", "}") {
			if open--; open == 0 {
				return i + 1, true
			}
		}
	}
	return 0, false
}

// inCall reports whether token i follows ( or a comma: it names an argument there.
func (p *python) inCall(i int) bool { return p.at(i-1).is("(", ",") }

// attribute reports whether name i, which follows a dot, does no harm.
func (p *python) attribute(i int) bool {
	one := p.tokens[i].value
	switch {
	case p.ofModule(i), p.records && recordAttributes()[one]:
		return true
	case !p.paths:
		return pythonAttributes()[one]
	case one == "replace": // of a string, and not of a path
		return p.arguments(i+1) > 1
	case one == "copy":
		return p.arguments(i+1) == 0
	}
	return pythonAttributes()[one] || pathMethods[one] != ""
}

// arguments returns the number of arguments in the parentheses that begin with token i; -1 = it is
// not known.
func (p *python) arguments(i int) (n int) {
	if !p.at(i).is("(") {
		return -1
	}
	open := 0
	for ; i < len(p.tokens); i++ {
		switch t := p.tokens[i]; {
		case t.is("(", "[", "{"):
			open++
		case t.is(")", "]", "}"):
			if open--; open == 0 {
				if p.at(i-1).is("(", ",") {
					return n
				}
				return n + 1
			}
		case t.is(",") && open == 1:
			n++
		case t.is("*", "**") && open == 1: // they may be others
			return -1
		}
	}
	return -1
}

// ofModule reports whether an attribute is one of a module, and does no harm.
func (p *python) ofModule(i int) bool {
	first := i
	for p.at(first-1).is(".") && p.at(first-2).kind == name {
		first -= 2
	}
	module, imported := p.modules[p.at(first).value]
	return imported && first < i && !p.at(first-1).is(".") && p.inModule(module, first+2)
}

// inModule reports whether the attributes of a module, from name i on, do no harm.
func (p *python) inModule(module string, i int) bool {
	one := p.at(i)
	if one.kind != name {
		return false
	}
	if sub := module + "." + one.value; pythonModules()[sub] != nil {
		return p.at(i+1).is(".") && p.inModule(sub, i+2)
	}
	known := pythonModules()[module]
	switch {
	case module == "sys" && one.value == "path":
		return p.shown(i)
	case p.sets(i):
		return false
	case module == "os" && one.value == "environ" && !p.looksUp(i+1):
		return false
	case module == "pathlib" && one.value == "Path":
		return p.path(i + 1)
	// an error shows a line of the file that another argument names
	case module == "ast" && one.value == "parse" && p.arguments(i+1) != 1:
		return false
	case known != nil && !known[one.value], known == nil && !pythonTells()[one.value]:
		return false
	}
	for i++; p.at(i).is(".") && p.at(i+1).kind == name; i += 2 {
		next := p.at(i + 1).value
		if !pythonAttributes()[next] && !pythonTells()[next] {
			return false
		}
	}
	return true
}

// shown reports whether the list at name i, where Python looks for modules, is only an argument,
// and no module is imported later.
func (p *python) shown(i int) bool {
	return p.at(i-3).is("(") && p.at(i+1).is(")", ",") &&
		slices.Contains([]string{"print", "len", "sorted", "dumps"}, p.at(i-4).value) &&
		!slices.ContainsFunc(p.tokens[i:], func(t token) bool {
			return t.kind == name && t.value == "import"
		})
}

// sets reports whether name i may be set: = follows it in its statement, or it is in one that binds
// names.
func (p *python) sets(i int) bool {
	from, inside, header := i-1, 0, true
	for ; p.at(from).kind != end; from-- {
		switch t := p.at(from); {
		case t.is("(", "[", "{"):
			inside--
		case t.is(")", "]", "}"):
			inside++
		case t.is(":") && inside == 0:
			header = false
		case header && t.kind == name && (t.value == "for" || t.value == "as" || t.value == "del"):
			return !slices.ContainsFunc(p.tokens[from:i], func(t token) bool {
				return t.kind == name && t.value == "in"
			})
		}
	}
	header = header && slices.Contains([]string{"for", "if", "while", "with", "elif"},
		p.at(from+1).value)
	for inside = 0; p.at(i).kind != end; i++ {
		switch t := p.at(i); {
		case t.is("(", "[", "{"):
			inside++
		case t.is(")", "]", "}"):
			inside--
		case header && inside == 0 && t.is(":"):
			return false
		case inside <= 0 && t.kind == sign && strings.HasSuffix(t.value, "=") &&
			!t.is("==", "!=", "<=", ">="):
			return true
		}
	}
	return false
}

// looksUp reports whether what follows the environment, from token i on, leaves it as it is.
func (p *python) looksUp(i int) bool {
	if p.at(i).is("[") {
		after, ok := p.afterBrackets(i)
		return ok && p.at(i+1).kind == text && !p.at(after).is("[")
	}
	return p.at(i).is(".") && slices.Contains([]string{"get", "items", "keys", "values", "copy"},
		p.at(i+1).value)
}

// opensFile reads the arguments of open, whose parenthesis is token i.
func (p *python) opensFile(i int) bool {
	mode, at := "", i+2
	for n := 1; p.at(at).is(","); n++ {
		at++
		key := ""
		if p.at(at).kind == name && p.at(at+1).is("=") {
			key = p.at(at).value
			at += 2
		}
		t := p.at(at)
		at++
		switch {
		case p.at(at-1).is(")") && key == "": // after a comma
			at--
		case t.kind != text || !t.plain:
			return false
		case (key == "mode" || key == "" && n == 1) && mode == "":
			mode = t.value
		case key != "encoding" && key != "errors" && key != "newline":
			return false
		}
	}
	writes := strings.ContainsAny(mode, "wax+")
	return p.at(at).is(")") && p.opens(i, !writes || strings.Contains(mode, "+"), writes)
}

// path reads the argument of Path, whose parenthesis is token i.
func (p *python) path(i int) bool {
	reads, writes := true, false
	for j, t := range p.tokens {
		switch {
		case t.kind == name && pathMethods[t.value] != "" && p.at(j-1).is("."):
			writes = writes || strings.Contains(pathMethods[t.value], "w")
		case t.is("/", "/="): // it joins paths
			return false
		}
	}
	return p.at(i+2).is(")") && p.opens(i, reads, writes)
}
