// This file guards the array methods that sort, and holds those that make one list, or one text, of
// several.

package js

import (
	"slices"
	"strconv"

	"github.com/dop251/goja"
)

// concatLists guards Array.prototype.concat: all lists together may have maxItems items.
func (g *guards) concatLists(call goja.FunctionCall, orig rawFunc) goja.Value {
	parts := make([]goja.Value, len(call.Arguments))
	total := 0
	add := func(val goja.Value) goja.Value {
		val, n := g.spreadable(val, maxItems-total)
		if total += n; total > maxItems {
			g.realm.throwRange(tooManyItems)
		}
		return val
	}
	if this := add(call.This); this != call.This {
		call.This = g.rt.NewArray()
		parts = append(make([]goja.Value, 0, len(parts)+1), this)
	} else {
		parts = parts[:0]
	}
	for _, a := range call.Arguments {
		parts = append(parts, add(a))
	}
	g.realm.take(itemBytes * total)
	return orig(goja.FunctionCall{This: call.This, Arguments: parts})
}

// spreadable returns val, or an array that concat adds in the same way, and how many items it adds.
func (g *guards) spreadable(val goja.Value, most int) (goja.Value, int) {
	obj, ok := val.(*goja.Object)
	if !ok {
		return val, 1
	}
	spread := obj.GetSymbol(goja.SymIsConcatSpreadable)
	unset := spread == nil || goja.IsUndefined(spread)
	switch kind := obj.ExportType(); {
	case kind == arrayType && unset:
		n := lengthOf(obj)
		if n > int64(most) {
			g.realm.throwRange(tooManyItems)
		}
		return val, int(n)
	case unset && !g.isArray(goja.FunctionCall{Arguments: []goja.Value{val}}).ToBoolean(),
		!unset && !spread.ToBoolean():
		return g.rt.NewArray(val), 1
	}
	list := g.copied(obj, most, tooManyItems)
	return list, int(lengthOf(list))
}

// join implements Array.prototype.join. Nested arrays call it again through their toString.
func (g *guards) join(this, by goja.Value) goja.Value {
	obj, ok := this.(*goja.Object)
	if !ok {
		if goja.IsUndefined(this) || goja.IsNull(this) {
			panic(g.rt.NewTypeError("Array.prototype.join called on null or undefined"))
		}
		obj = this.ToObject(g.rt)
	}
	n := int(g.checkItems(obj))
	between := g.comma
	if !goja.IsUndefined(by) {
		between = g.realm.text(by)
	}
	if slices.Contains(g.joining, obj) { // an array inside itself is empty
		return g.rt.ToValue("")
	}
	if len(g.joining) >= maxFlat {
		g.realm.throwRange(tooDeep)
	}
	g.joining = append(g.joining, obj)
	defer func() { g.joining = g.joining[:len(g.joining)-1] }()
	size := between.Length() * max(0, n-1)
	g.realm.checkText(float64(size))
	var b goja.StringBuilder
	at := 0
	g.each(obj, n, func(i int, e goja.Value) {
		for ; at < i; at++ {
			b.WriteString(between)
		}
		switch s := e.(type) {
		case goja.String:
			size += s.Length()
			b.WriteString(s)
		case *goja.Object, *goja.Symbol:
			text := g.realm.text(e)
			size += text.Length()
			b.WriteString(text)
		default:
			if goja.IsUndefined(e) || goja.IsNull(e) {
				return
			}
			digits := e.String()
			size += len(digits)
			b.WriteUTF8String(digits)
		}
		if size > maxText {
			g.realm.throwRange(tooLong)
		}
	})
	for ; at < n-1; at++ {
		b.WriteString(between)
	}
	return b.String()
}

// each calls do with the items of a list of n that are not missing. The interpreter reads the items
// of an array faster itself.
func (g *guards) each(obj *goja.Object, n int, do func(i int, item goja.Value)) {
	if obj.ExportType() == arrayType && n > 0 {
		outer := g.visit
		defer func() { g.visit = outer }()
		g.visit = do
		if g.visitor == nil {
			g.setVisitor()
		}
		g.forEach(goja.FunctionCall{This: obj, Arguments: g.visitor})
		return
	}
	for i := range n {
		if i%pollEvery == 0 {
			g.realm.poll()
		}
		if item := obj.Get(strconv.Itoa(i)); item != nil {
			do(i, item)
		}
	}
}

// setVisitor makes the function that each gives to forEach.
func (g *guards) setVisitor() {
	g.visitor = []goja.Value{g.rt.ToValue(func(call goja.FunctionCall) goja.Value {
		i := int(call.Arguments[1].ToInteger())
		if i%pollEvery == 0 {
			g.realm.poll()
		}
		g.visit(i, call.Arguments[0])
		return goja.Undefined()
	})}
}

// flattened returns the items of the array that a method is called on, and those of arrays in it
// down to depth. change, if not nil, changes the items of the first one.
func (g *guards) flattened(call *goja.FunctionCall, depth int64, change rawFunc) goja.Value {
	obj, ok := call.This.(*goja.Object)
	if !ok {
		panic(g.rt.NewTypeError("Array.prototype.flat called on a value that is no object"))
	}
	f := flattening{guards: g, change: change, self: call.Argument(1)}
	f.list(obj, depth, 0)
	return g.rt.NewArray(f.out...)
}

// flattening is one call of flat or flatMap.
type flattening struct {
	*guards
	change rawFunc
	self   goja.Value
	out    []any
}

// list appends the items of an array.
func (f *flattening) list(obj *goja.Object, depth int64, level int) {
	if level > maxFlat {
		f.realm.throwRange(tooDeep)
	}
	f.realm.poll()
	n := int(f.checkItems(obj))
	before := len(f.out)
	f.each(obj, n, func(i int, e goja.Value) {
		if f.change != nil && level == 0 {
			e = f.change(goja.FunctionCall{This: f.self,
				Arguments: []goja.Value{e, f.rt.ToValue(i), obj}})
		}
		if inner, ok := e.(*goja.Object); ok && depth > 0 && inner.ClassName() == "Array" {
			f.list(inner, depth-1, level+1)
			return
		}
		if f.out = append(f.out, e); len(f.out) > maxItems {
			f.realm.throwRange(tooManyItems)
		}
	})
	if level == 0 {
		f.realm.take(itemBytes * (len(f.out) - before))
	}
}

// guardedSort always sorts with a comparison function, so that the sort can be interrupted.
func (g *guards) guardedSort(call goja.FunctionCall, orig rawFunc) goja.Value {
	n, done := g.steady(&call)
	g.realm.take(itemBytes * int(n))
	if goja.IsUndefined(call.Argument(0)) && n < sortPolled && g.short(call.This, int(n)) {
		return done(orig(call))
	}
	if !goja.IsUndefined(call.Argument(0)) && n < sortPolled {
		g.pollCallback(&call, 0, int(n))
		return done(orig(call))
	}
	by := g.realm.function(call.Argument(0))
	if by == nil {
		if !goja.IsUndefined(call.Argument(0)) {
			return orig(call) // it is refused
		}
		by = func(c goja.FunctionCall) goja.Value {
			return g.rt.ToValue(g.realm.text(c.Argument(0)).CompareTo(g.realm.text(
				c.Argument(1))))
		}
	}
	compare := g.rt.ToValue(func(c goja.FunctionCall) goja.Value {
		g.realm.poll()
		return by(c)
	})
	return done(orig(goja.FunctionCall{This: call.This, Arguments: []goja.Value{compare}}))
}

// short reports whether the texts in a list of n items, which are compared with each other, are not
// long.
func (g *guards) short(list goja.Value, n int) bool {
	const most = 1 << 20
	obj, ok := list.(*goja.Object)
	if !ok || n < fewCalls {
		return true
	}
	size := 0
	g.each(obj, n, func(_ int, item goja.Value) {
		if s, ok := item.(goja.String); ok {
			size += s.Length()
		}
	})
	return size < most
}
