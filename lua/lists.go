// This file holds the table functions. They have limits, and those that only read accept views.

package lua

import (
	"sort"
	"strings"

	glua "github.com/yuin/gopher-lua"
)

func (g *guards) openTables() {
	g.field("table", "concat", g.tabConcat)
	g.field("table", "insert", g.tabInsert)
	g.field("table", "remove", tabRemove)
	g.field("table", "sort", g.tabSort)
	g.field("table", "unpack", tabUnpack)
	g.field("table", "pack", g.tabPack)
	g.field("table", "move", g.tabMove)
	g.field("table", "getn", func(L *glua.LState) int {
		L.Push(glua.LNumber(length(readable(L, 1))))
		return 1
	})
	g.global("unpack", tabUnpack)
}

// tabConcat implements table.concat(t [, sep [, i [, j]]]).
func (g *guards) tabConcat(L *glua.LState) int {
	t := readable(L, 1)
	sep := L.OptString(2, "")
	i, j := L.OptInt(3, 1), 0
	if L.Get(4) == glua.LNil {
		j = length(t)
	} else {
		j = L.CheckInt(4)
	}
	var b strings.Builder
	for n := 0; i <= j; i, n = i+1, n+1 {
		if n%pollEvery == 0 {
			g.failures.poll(L)
		}
		v := at(t, i)
		if !glua.LVCanConvToString(v) {
			raisef(L, "invalid value (a %s) at index %d in table for 'concat'", typeName(v), i)
		}
		s := v.String()
		checkText(L, "table.concat", b.Len()+len(s)+len(sep))
		b.WriteString(s)
		if i < j {
			b.WriteString(sep)
		}
	}
	g.failures.made(L, b.Len())
	L.Push(glua.LString(b.String()))
	return 1
}

// tabInsert implements table.insert(t, [pos,] value). A position outside of the list is an error,
// as in Lua 5.3, because it would leave gaps.
func (g *guards) tabInsert(L *glua.LState) int {
	t := writable(L, 1)
	n := t.Len()
	switch L.GetTop() {
	case 2:
		t.RawSetInt(n+1, L.Get(2))
	case 3:
		pos := L.CheckInt(2)
		if pos < 1 || pos > n+1 {
			L.ArgError(2, "position out of bounds")
		}
		t.Insert(pos, L.Get(3))
		g.failures.poll(L)
	default:
		raisef(L, "wrong number of arguments to 'insert'")
	}
	return 0
}

// tabRemove implements table.remove(t [, pos]).
func tabRemove(L *glua.LState) int {
	t := writable(L, 1)
	n := t.Len()
	pos := L.OptInt(2, n)
	if n == 0 || pos < 1 || pos > n {
		L.Push(glua.LNil)
		return 1
	}
	L.Push(t.Remove(pos))
	return 1
}

// sorter sorts a copy of the values, so that a comparison function may wait. The table changes at
// the end.
type sorter struct {
	guards *guards
	L      *glua.LState
	less   glua.LValue
	values []glua.LValue
}

func (s *sorter) Len() int      { return len(s.values) }
func (s *sorter) Swap(i, j int) { s.values[i], s.values[j] = s.values[j], s.values[i] }
func (s *sorter) Less(i, j int) bool {
	s.guards.failures.poll(s.L) // the values may be long texts, and less a built-in function
	if s.less == glua.LNil {
		return s.L.LessThan(s.values[i], s.values[j])
	}
	s.L.Push(s.less)
	s.L.Push(s.values[i])
	s.L.Push(s.values[j])
	s.L.Call(2, 1)
	v := s.L.Get(-1)
	s.L.Pop(1)
	return glua.LVAsBool(v)
}

// tabSort implements table.sort(t [, less]).
func (g *guards) tabSort(L *glua.LState) int {
	t := writable(L, 1)
	s := &sorter{guards: g, L: L, less: L.Get(2), values: make([]glua.LValue, t.Len())}
	if s.less != glua.LNil {
		L.CheckFunction(2)
	}
	for i := range s.values {
		s.values[i] = t.RawGetInt(i + 1)
	}
	sort.Sort(s)
	for i, v := range s.values {
		t.RawSetInt(i+1, v)
	}
	return 0
}

// tabUnpack implements table.unpack(t [, i [, j]]).
func tabUnpack(L *glua.LState) int {
	t := readable(L, 1)
	i := L.OptInt(2, 1)
	j := 0
	if L.Get(3) == glua.LNil {
		j = length(t)
	} else {
		j = L.CheckInt(3)
	}
	if i > j {
		return 0
	}
	if n := j - i; n < 0 || n >= maxResults {
		raisef(L, "too many results to unpack (at most %d)", maxResults)
	}
	for k := i; k <= j; k++ {
		L.Push(at(t, k))
	}
	return j - i + 1
}

// tabPack implements table.pack(...).
func (g *guards) tabPack(L *glua.LState) int {
	n := L.GetTop()
	t := L.CreateTable(n, 1)
	for i := 1; i <= n; i++ {
		t.RawSetInt(i, L.Get(i))
	}
	t.RawSetString("n", glua.LNumber(n))
	L.Push(t)
	return 1
}

// tabMove implements table.move(a, from, to, at [, b]).
func (g *guards) tabMove(L *glua.LState) int {
	src := readable(L, 1)
	from, to, dst := L.CheckInt(2), L.CheckInt(3), L.CheckInt(4)
	target := 1
	if L.Get(5) != glua.LNil {
		target = 5
	}
	t := writable(L, target)
	n := to - from + 1
	if to >= from {
		if from < 1 || n < 0 || n > maxArrayIndex || dst < 1 || dst > t.Len()+1 {
			raisef(L, "table.move: position out of bounds")
		}
		for k := 0; k < n; k++ {
			i := k
			if dst > from { // overlapping: copy from the end
				i = n - 1 - k
			}
			if k%pollEvery == 0 {
				g.failures.poll(L)
			}
			t.RawSetInt(dst+i, at(src, from+i))
		}
	}
	L.Push(L.Get(target))
	return 1
}
