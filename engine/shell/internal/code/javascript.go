package code

import (
	"slices"
	"strings"
)

// JavaScript returns what a program for Node.js does. ok is false if it may do more.
func JavaScript(program string) (e Effects, ok bool) {
	if !printable(program) || strings.Contains(program, "<!--") || // comments
		strings.Contains(program, "-->") {
		return Effects{}, false
	}
	p := &script{}
	if p.tokens, ok = scriptTokens(program, 0); !ok {
		return Effects{}, false
	}
	p.modules, p.constant = map[string]string{"process": "process"}, map[string][]string{}
	p.functions = map[string]bool{}
	p.declarations()
	for i, t := range p.tokens {
		if t.kind == name && !p.harmless(i) || t.kind == sign && !p.plainSign(i) ||
			t.kind == text && p.at(i+1).is(":") && (scriptOthers()[t.value] ||
				!t.plain && p.at(i-1).is("{", ",")) {
			return Effects{}, false
		}
	}
	return p.effects, true
}

// script is a program in JavaScript.
type script struct {
	program
	functions map[string]bool // names of functions that it declares
}

// harmless reports whether name i does no harm.
func (p *script) harmless(i int) bool {
	t := p.tokens[i]
	calls := p.at(i+1).is("(") || p.at(i+1).is("?.") && p.at(i+2).is("(", "[") || p.constructs(i)
	module, isModule := p.modules[t.value]
	switch before := p.at(i - 1); {
	case p.isKey(i):
		return !scriptOthers()[t.value] || p.mayBeKey(t.value)
	case before.is(".", "?."):
		return p.member(i, calls)
	case isModule:
		return p.declares(i) || p.at(i+1).is(".") && p.inModule(module, i+2)
	case scriptOthers()[t.value]:
		return false
	case t.value == "require":
		return p.require(i)
	case contextual()[t.value]:
		return !calls || t.value != "let" && (t.value != "async" || p.isFunction(i)) &&
			!p.isNamed(t.value)
	case scriptKeywords()[t.value], scriptValues()[t.value]:
		return true
	case scriptGlobals()[t.value]:
		return calls || p.at(i+1).is(".") || before.kind == name && (before.value == "new" ||
			before.value == "instanceof")
	}
	return !calls || p.functions[t.value]
}

// constructs reports whether name i is the last of those that follow new, which calls it.
func (p *script) constructs(i int) bool {
	if p.at(i+1).is(".", "?.") {
		return false
	}
	for p.at(i-1).is(".") && p.at(i-2).kind == name {
		i -= 2
	}
	return p.at(i-1).kind == name && p.at(i-1).value == "new"
}

// isKey reports whether name i is the key of an object.
func (p *script) isKey(i int) bool {
	return p.at(i-1).is("{", ",") && p.at(i+1).is(":")
}

// mayBeKey reports whether a name that programs find is a usual name of data, too.
func (p *script) mayBeKey(one string) bool {
	return slices.Contains([]string{"path", "url", "module", "os", "events", "http", "https",
		"root", "constants", "util", "stream", "net", "export", "exports"}, one)
}

// declares reports whether name i is being declared as a module.
func (p *script) declares(i int) bool {
	return p.at(i-1).value == "const" && p.at(i+1).is("=") && p.requires(i+2) != ""
}

// member reports whether name i, which follows a point, does no harm.
func (p *script) member(i int, calls bool) bool {
	one := p.tokens[i].value
	if p.at(i-2).kind == name && p.modules[p.at(i-2).value] != "" && !p.at(i-3).is(".", "?.") {
		return p.at(i-1).is(".") && p.inModule(p.modules[p.at(i-2).value], i)
	}
	if p.requires(i-5) != "" && p.at(i-2).is(")") { // require("fs").x
		return p.at(i-1).is(".") && p.inModule(p.requires(i-5), i)
	}
	if calls || scriptGlobals()[p.at(i-2).value] && !p.at(i-3).is(".", "?.") {
		return scriptMethods()[one]
	}
	return !strings.HasPrefix(one, "_") && (!scriptOthers()[one] || p.mayBeKey(one) ||
		p.at(i-2).value == "versions" && (one == "zlib" || one == "v8"))
}

// inModule reports whether name i, a function or value of a module, does no harm.
func (p *script) inModule(module string, i int) bool {
	one := p.at(i).value
	if does, is := scriptFiles[one]; is && module == "fs" {
		// other options may open it in another way
		plain := p.at(i+3).is(")") || p.at(i+3).is(",") && p.at(i+4).kind == text &&
			p.at(i+5).is(")")
		return p.opens(i+1, does == "r" || !plain, does == "w" || !plain)
	}
	if p.at(i).kind != name || !scriptModules()[module][one] {
		return false
	}
	if module == "process" && scriptStreams()[one] {
		return p.stream(i)
	}
	if t := p.at(i + 1); scriptParts()[one] && (module == "process" || one != "platform") {
		return !p.isSet(i)
	} else if module == "process" && one == "hrtime" {
		return t.is("(") || t.is(".") && p.at(i+2).value == "bigint"
	}
	return p.at(i + 1).is("(")
}

// stream reports whether name i, which is stdin, stdout or stderr of process, is only read from,
// written to, or listened to. As a value, it has more functions, which could be called by others.
func (p *script) stream(i int) bool {
	if p.at(i-3).value == "of" && p.at(i+1).is(")") { // for await (const x of process.stdin)
		return true
	}
	alone := i == 2 || p.at(i-3).is(";", "{", "}") || p.isValue(i-3)
	for p.at(i + 1).is(".") {
		one := p.at(i + 2).value
		i += 2
		if !p.at(i + 1).is("(") {
			return streamParts()[one] && !p.isSet(i)
		}
		if one != "write" && !(alone && streamCalls()[one]) {
			return false
		}
		for open := 0; i < len(p.tokens); {
			if i++; p.at(i).is("(", "[", "{") {
				open++
			} else if p.at(i).is(")", "]", "}") {
				if open--; open == 0 {
					break
				}
			}
		}
		if one == "write" {
			return true
		}
	}
	return p.at(i).is(")") && !p.at(i+1).is("[", "(", "?.")
}

// isValue reports whether a value may end with token i.
func (p *script) isValue(i int) bool {
	t := p.at(i)
	return t.is(")", "]", "}") || t.kind == number || t.kind == text ||
		t.kind == name && (!scriptKeywords()[t.value] || scriptConstants()[t.value] ||
			p.at(i-1).is(".", "?."))
}

// isNamed reports whether the program may use a keyword as a name.
func (p *script) isNamed(one string) bool {
	for i, t := range p.tokens {
		after := p.at(i + 1)
		if t.kind == name && t.value == one && !p.at(i-1).is(".", "?.") && (after.kind == end ||
			after.is("=", ",", ")", "]", "}", ":", ";") || after.kind == name &&
			(after.value == "of" || after.value == "in")) {
			return true
		}
	}
	return false
}

// isSet reports whether name i, a part of a module, may be set.
func (p *script) isSet(i int) bool {
	after, then := p.at(i+1), p.at(i+2)
	if p.at(i).value == "exitCode" {
		return false
	}
	operator := after.kind == sign && strings.HasSuffix(after.value, "=") && !after.is("==", "===",
		"!=", "!==", "<=", ">=")
	return operator || after.kind == sign && then.is("=") || after.is("]", "}") ||
		after.kind == name && (after.value == "of" || after.value == "in")
}

// require reports whether name i, which is require, loads a module of the table whose functions
// are looked at, or a file with data.
func (p *script) require(i int) bool {
	arg := p.at(i + 2)
	if !p.at(i+1).is("(") || arg.kind != text || !arg.plain || !p.at(i+3).is(")") {
		return false
	}
	if p.requires(i) != "" {
		return p.at(i+4).is(".") || p.at(i-1).is("=") && p.declares(i-2) &&
			p.modules[p.at(i-2).value] != ""
	}
	p.effects.Modules = append(p.effects.Modules, arg.value, arg.value+".js",
		arg.value+"/index.js")
	if !strings.HasSuffix(arg.value, ".json") {
		if strings.HasPrefix(arg.value, ".") || strings.HasPrefix(arg.value, "/") {
			return false // a file is loaded
		}
		tells := p.at(i+5).value == "version" || p.at(i+5).value == "VERSION"
		return tells && p.at(i+4).is(".") && !p.at(i+6).is("(", ".", "?.", "[") &&
			!strings.Contains(arg.value, ":")
	}
	if strings.HasPrefix(arg.value, ".") || strings.HasPrefix(arg.value, "/") {
		p.effects.Reads = append(p.effects.Reads, arg.value)
	}
	return !p.at(i + 4).is("(")
}

// bodyEnds returns where the body of a function ends that begins with token i: {, after its
// parameters, to }.
func (p *script) bodyEnds(i int) int {
	open := 0
	for j := i; j < len(p.tokens); j++ {
		switch t := p.at(j); {
		case t.is("(", "["), t.is("{") && open > 0:
			open++
		case t.is("{"):
			for ; j < len(p.tokens); j++ {
				if p.at(j).is("{") {
					open++
				} else if p.at(j).is("}") {
					if open--; open == 0 {
						return j
					}
				}
			}
		case t.is(")", "]", "}"):
			open--
		case t.is(",", "||", "&&", "??", "?") && open == 0:
			return -1
		}
	}
	return -1
}

// plainSign reports whether sign i selects no member, and calls no function, by a name that is
// computed.
func (p *script) plainSign(i int) bool {
	before, t := p.at(i-1), p.tokens[i]
	switch {
	case t.is("(") && before.is(")"): // (() => { ... })()
		open := 0
		for j := i - 1; j >= 0; j-- {
			if p.at(j).is(")") {
				open++
			} else if p.at(j).is("(") {
				if open--; open == 0 {
					return !p.isValue(j-1) && p.isFunction(j+1) && p.bodyEnds(j+1) == i-2
				}
			}
		}
		return false
	case t.is("(") && (before.is("]", "}", "?.") || before.kind == text):
		return false
	case t.is("[") && (before.is(")", "]", "}", "?.") || before.kind == text ||
		before.kind == number || before.kind == name && (!scriptKeywords()[before.value] ||
		scriptConstants()[before.value] || p.at(i-2).is(".", "?."))):
		key := p.at(i + 1)
		return p.at(i+2).is("]") && !p.at(i+3).is("(", "?.") && (key.kind == number ||
			key.kind == text && key.plain && !scriptOthers()[key.value] &&
				!strings.HasPrefix(key.value, "_"))
	case t.is("]") && p.at(i+1).is(":", "="):
		return false
	}
	return true
}
