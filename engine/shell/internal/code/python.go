package code

import (
	"strings"
)

// Python returns what a program in Python does. ok is false if it may do more.
func Python(program string) (e Effects, ok bool) {
	if !printable(program) {
		return Effects{}, false
	}
	for i, line := range strings.SplitN(program, "\n", 3) { // it would be decoded in another way
		if i < 2 && strings.Contains(line, "#") && strings.Contains(line, "coding") {
			return Effects{}, false
		}
	}
	p := &python{}
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
	return p.effects, true
}

// python is a program in Python.
type python struct {
	program
	skip  map[int]bool // tokens of imports
	paths bool         // it may have objects that stand for files
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
	case one == "Path":
		return p.path(i + 1)
	}
	return one != "opener" && !pythonOthers()[one]
}

// inCall reports whether token i follows ( or a comma: it names an argument there.
func (p *python) inCall(i int) bool { return p.at(i-1).is("(", ",") }

// attribute reports whether name i, which follows a dot, does no harm.
func (p *python) attribute(i int) bool {
	one := p.tokens[i].value
	switch {
	case p.ofModule(i):
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
	case module == "pathlib" && one.value == "Path":
		return p.path(i + 1)
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

// opensFile reads the arguments of open, whose parenthesis is token i.
func (p *python) opensFile(i int) bool {
	mode, known := "r", true
	if p.at(i + 2).is(",") {
		at := i + 3
		if p.at(at).value == "mode" && p.at(at+1).is("=") {
			at += 2
		}
		switch t := p.at(at); {
		case t.kind == text && t.plain:
			mode = t.value
		case t.kind == name && p.at(at+1).is("="): // encoding=
			known = t.value == "encoding" || t.value == "errors" || t.value == "newline"
		default:
			known = false
		}
		for ; known && at < len(p.tokens) && !p.at(at).is(")"); at++ {
			known = p.at(at).value != "mode" || at < i+5
		}
	}
	writes := strings.ContainsAny(mode, "wax+")
	return known && p.opens(i, !writes || strings.Contains(mode, "+"), writes)
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
