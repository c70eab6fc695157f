// This file lifts the sandbox for what the user approves. A question is not asked if the user's yes
// could not take effect.

package engine

import (
	"path/filepath"
	"slices"
	"strings"
)

// Sandbox is the sandbox in which a tool runs programs.
type Sandbox struct {
	// Confinement returns how the program is confined that a call starts, or that answers it; nil =
	// Unconfined.
	Confinement func(args map[string]any) Confinement
	Fence       Fence // what the sandbox refuses; nil = that is unknown
	// Lifts reports that the tool obeys Use.Lifted, and Use.OnlyReads. A server that runs already
	// cannot.
	Lifts bool
	// Otherwise tells the model what to do if the sandbox refuses something: "call bash with
	// sandbox = false: the user is asked".
	Otherwise string
}

// Fence reports what a sandbox refuses. Paths are absolute, with links followed.
type Fence interface {
	// Refuses returns which of the paths that a program reads and writes the sandbox would keep
	// from a program that runs in dir.
	Refuses(dir string, reads, writes []string) (noReads, noWrites []string)
	// CanLift reports whether the sandbox can let one program use these paths; the error says why
	// not. beside are folders in which the program could make new files, too.
	CanLift(dir string, reads, writes []string) (beside []string, err error)
	// Holds reports whether no program in the sandbox can read ("reads"), or write ("writes"), a
	// file that matches a glob, as Touched.Rooted returns it. A glob that begins with ** is one for
	// the project.
	Holds(what, glob string) bool
	// Keeps reports whether no program in the sandbox can write the file or folder at path, or
	// anything in it.
	Keeps(path string) bool
}

// Holds reports whether the sandbox keeps the program of a call of t from the files that match a
// glob: see Fence.Holds. Then nobody needs to be asked about what the program may do. t may be nil.
func (t *Tool) Holds(args map[string]any, what, glob string) bool {
	return t.confinement(args) == Sealed && t.Sandbox.Fence != nil &&
		t.Sandbox.Fence.Holds(what, glob)
}

// keeps reports whether the sandbox keeps the program of a call of t from writing any of the paths.
func (t *Tool) keeps(args map[string]any, paths []string) bool {
	return t.confinement(args) == Sealed && t.Sandbox.Fence != nil &&
		!slices.ContainsFunc(paths, func(path string) bool { return !t.Sandbox.Fence.Keeps(path) })
}

// lift is what the sandbox of a call refuses although the call certainly does it.
type lift struct {
	reads, writes []string
	beside        []string // folders in which it can make files, if it is let
	ask           *Ask     // the question about letting the call do it; nil = it cannot be let
	why           string   // the reason why it cannot
}

// setLift finds out what the sandbox would refuse to the call, so that the questions that are asked
// anyway can include it.
func (c *decision) setLift() {
	c.lift = nil
	t := c.d.found
	if t == nil || t.Sandbox == nil || t.Sandbox.Fence == nil || c.d.e.User.approver == nil {
		return
	}
	if how := c.confinement(); how != Confined && how != Sealed {
		return
	}
	whole, dir := c.d.touches().whole(), ""
	if c.d.call.Env != nil {
		dir = c.d.call.Env.CWD
	}
	found, err := within(c.d.ctx, func() *lift {
		return t.Sandbox.findLift(dir, whole.Reads(), namedWrites(whole))
	})
	if err == nil {
		c.lift = found
	}
}

// findLift returns what the sandbox refuses; nil if nothing.
func (s *Sandbox) findLift(dir string, reads, writes []string) *lift {
	l := &lift{}
	if l.reads, l.writes = s.Fence.Refuses(dir, reads, writes); len(l.reads)+len(l.writes) == 0 {
		return nil
	}
	if !s.Lifts {
		l.why = "its program runs already"
		return l
	}
	var err error
	if l.beside, err = s.Fence.CanLift(dir, l.reads, l.writes); err != nil {
		l.why = err.Error()
		return l
	}
	text := "with your yes, the sandbox lets this call " + l.words()
	if len(l.beside) > 0 {
		text += ", and make new files in " + strings.Join(l.beside, ", ")
	}
	l.ask = &Ask{Rule: RuleSandbox, Text: text, lifts: true}
	return l
}

// opens reports whether a program for which the sandbox is lifted may write a file, whatever its
// command line names.
func (l *lift) opens(path string) bool {
	return slices.ContainsFunc(slices.Concat(l.writes, l.beside), func(one string) bool {
		return path == one || strings.HasPrefix(path, one+string(filepath.Separator))
	})
}

// words returns "write /a and /b, and read /c".
func (l *lift) words() string {
	var parts []string
	for _, one := range []struct {
		verb  string
		paths []string
	}{{"write ", l.writes}, {"read ", l.reads}} {
		if len(one.paths) > 0 {
			parts = append(parts, one.verb+strings.Join(one.paths, " and "))
		}
	}
	return strings.Join(parts, ", and ")
}

// namedWrites returns the paths that a call writes, without folders that it names only as the place
// of others.
func namedWrites(whole Touched) (out []string) {
	all, deep := whole.Writes(), whole.WritesBelow()
	for _, path := range all {
		place := !slices.Contains(deep, path) && slices.ContainsFunc(all,
			func(other string) bool { return filepath.Dir(other) == path })
		if !place {
			out = append(out, path)
		}
	}
	return out
}

// withLift adds to the questions what the sandbox would let the call do. It removes that if there
// is no other question: then nothing is lifted, and nobody is asked.
func (c *decision) withLift(asks []Ask) []Ask {
	asks = slices.DeleteFunc(asks, func(a Ask) bool { return a.lifts })
	if len(asks) > 0 && c.lift != nil && c.lift.ask != nil {
		asks = append(asks, *c.lift.ask)
	}
	return asks
}

// moreToLift returns a question about what the sandbox refuses of arguments that the user has
// edited in an approval, beyond what that approval lifts; nil if there is nothing.
func (c *decision) moreToLift() *Ask {
	if !c.edited {
		return nil
	}
	c.edited = false
	c.setLift()
	if c.lift == nil || c.lift.ask == nil || c.lifted.covers(c.lift) {
		return nil
	}
	return c.lift.ask
}

// covers reports whether l includes all of other. l may be nil.
func (l *lift) covers(other *lift) bool {
	in := func(list []string) func(string) bool {
		return func(path string) bool { return !slices.Contains(list, path) }
	}
	return l != nil && !slices.ContainsFunc(other.reads, in(l.reads)) &&
		!slices.ContainsFunc(other.writes, in(l.writes))
}

// useless refuses a call about which a question would be asked although the sandbox would refuse
// what the user says yes to: the model is told how to ask for it.
func (c *decision) useless(asks []Ask) bool {
	l := c.lift
	if l == nil || l.ask != nil {
		return false
	}
	s := c.d.found.Sandbox
	// what a server does with its arguments is not known: only protected files are refused
	if !s.Lifts && !slices.ContainsFunc(asks, func(a Ask) bool { return a.Rule == RuleProtected }) {
		return false
	}
	text := "refused: the sandbox would not let this call " + l.words() +
		", and cannot be lifted for that alone (" + l.why + ")"
	if s.Otherwise != "" {
		text += "; if it has to be, " + s.Otherwise
	}
	c.d.refuse("denied", "sandbox", text)
	return true
}

// grantLift records that the user has approved these questions.
func (c *decision) grantLift(asks []Ask) {
	if slices.ContainsFunc(asks, func(a Ask) bool { return a.lifts }) {
		c.lifted = c.lift
	}
}

// Lifted returns the paths that the program of the call may read and write although the sandbox
// refuses that: the user has approved it. Call it on the goroutine on which Run was called.
func (u *Use) Lifted() (reads, writes []string) {
	if u.call == nil || u.call.decision.lifted == nil {
		return nil, nil
	}
	l, whole := u.call.decision.lifted, u.call.touches().whole()
	// the arguments may have changed since
	in := func(paths []string) func(string) bool {
		return func(path string) bool { return !slices.Contains(paths, path) }
	}
	both := slices.Concat(whole.Reads(), whole.Writes())
	return slices.DeleteFunc(slices.Clone(l.reads), in(both)),
		slices.DeleteFunc(slices.Clone(l.writes), in(whole.Writes()))
}

// onlyReads reports whether the program of the call only reads, and can run in a sandbox in which
// it can do nothing else.
func (c *decision) onlyReads() bool {
	t := c.d.found
	return t != nil && t.Sandbox != nil && t.Sandbox.Lifts && c.confinement() == Sealed &&
		c.d.touches().risks().OnlyReads
}

// OnlyReads reports whether the call was allowed because its program only reads: then the program
// must run in a sandbox in which it can do nothing else. Call it on the goroutine on which Run was
// called.
func (u *Use) OnlyReads() bool { return u.call != nil && u.call.decision.source == onlyReads }
