// This file guards the array methods that sort, and holds those that make one list, or one text, of
// several.

package js

import (
	"slices"
	"strconv"

	"github.com/dop251/goja"
)

// concatLists guards Array.prototype.concat: all lists together may have maxItems items.
func (l *lists) concatLists(call goja.FunctionCall, orig rawFunc) goja.Value {
	parts := make([]goja.Value, len(call.Arguments))
	total := 0
	add := func(val goja.Value) goja.Value {
		val, n := l.spreadable(val, maxItems-total)
		if total += n; total > maxItems {
			l.realm.throwRange(tooManyItems)
		}
		return val
	}
	this := add(call.This)
	// compared as an object: Go panics if two texts are compared that have é or 😀
	if obj, is := call.This.(*goja.Object); is && this != obj {
		call.This = l.rt.NewArray()
		parts = append(make([]goja.Value, 0, len(parts)+1), this)
	} else {
		parts = parts[:0]
	}
	for _, a := range call.Arguments {
		parts = append(parts, add(a))
	}
	l.meter.take(itemBytes * total)
	return orig(goja.FunctionCall{This: call.This, Arguments: parts})
}

// spreadable returns val, or an array that concat adds in the same way, and how many items it adds.
func (l *lists) spreadable(val goja.Value, most int) (goja.Value, int) {
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
			l.realm.throwRange(tooManyItems)
		}
		return val, int(n)
	case unset && !l.isArray(goja.FunctionCall{Arguments: []goja.Value{val}}).ToBoolean(),
		!unset && !spread.ToBoolean():
		return l.rt.NewArray(val), 1
	}
	list, missing := l.args.copiedItems(obj, most, tooManyItems)
	for n, i := range missing {
		if n%pollEvery == 0 {
			l.meter.poll()
		}
		_ = list.Delete(strconv.Itoa(i))
	}
	return list, int(lengthOf(list))
}

// join implements Array.prototype.join. Nested arrays call it again through their toString.
func (l *lists) join(this, by goja.Value) goja.Value {
	obj, ok := this.(*goja.Object)
	if !ok {
		if goja.IsUndefined(this) || goja.IsNull(this) {
			panic(l.rt.NewTypeError("Array.prototype.join called on null or undefined"))
		}
		obj = this.ToObject(l.rt)
	}
	n := int(l.checkItems(obj))
	between := l.comma
	if !goja.IsUndefined(by) {
		between = l.realm.text(by)
	}
	j := joining{lists: l, between: between, size: between.Length() * max(0, n-1)}
	l.realm.checkText(float64(j.size))
	items, _ := itemsOf(obj)
	items = items[:min(n, len(items))]           // between may have been code of the script
	for len(items) > 0 && !composite(items[0]) { // no code of the script runs
		if j.at%pollEvery == 0 {
			l.meter.poll()
		}
		j.addItem(j.next, items[0])
		items = items[1:]
	}
	if j.next < n {
		if slices.Contains(l.joining, obj) { // an array inside itself is empty
			return l.rt.ToValue("")
		}
		if len(l.joining) >= maxFlat {
			l.realm.throwRange(tooDeep)
		}
		l.joining = append(l.joining, obj)
		defer func() { l.joining = l.joining[:len(l.joining)-1] }()
		from := j.next
		l.each(obj, n, func(i int, e goja.Value) {
			if i >= from {
				j.addItem(i, e)
			}
		})
	}
	j.separate(n - 1)
	return j.b.String()
}

// joining is one call of join.
type joining struct {
	lists   *lists
	between goja.String
	b       goja.StringBuilder
	size    int // of the result, so far with all that is between items
	at      int // how many times between was written
	next    int // the item after the last one that was added
}

// separate writes between up to item i.
func (j *joining) separate(i int) {
	for ; j.at < i; j.at++ {
		j.b.WriteString(j.between)
	}
}

// addItem adds item i.
func (j *joining) addItem(i int, e goja.Value) {
	j.separate(i)
	j.next = i + 1
	switch s := e.(type) {
	case goja.String:
		j.size += s.Length()
		j.b.WriteString(s)
	case *goja.Object, *goja.Symbol:
		text := j.lists.realm.text(e)
		j.size += text.Length()
		j.b.WriteString(text)
	default:
		if goja.IsUndefined(e) || goja.IsNull(e) {
			return
		}
		digits := e.String()
		j.size += len(digits)
		j.b.WriteUTF8String(digits)
	}
	if j.size > maxText {
		j.lists.realm.throwRange(tooLong)
	}
}

// each calls do with the items of a list of n that are not missing. The interpreter reads the items
// of an array faster itself.
func (l *lists) each(obj *goja.Object, n int, do func(i int, item goja.Value)) {
	if obj.ExportType() == arrayType && n > 0 {
		outer := l.visit
		defer func() { l.visit = outer }()
		l.visit = do
		if l.visitor == nil {
			l.setVisitor()
		}
		l.forEach(goja.FunctionCall{This: obj, Arguments: l.visitor})
		return
	}
	for i := range n {
		if i%pollEvery == 0 {
			l.meter.poll()
		}
		if item := obj.Get(strconv.Itoa(i)); item != nil {
			do(i, item)
		}
	}
}

// setVisitor makes the function that each gives to forEach.
func (l *lists) setVisitor() {
	l.visitor = []goja.Value{l.rt.ToValue(func(call goja.FunctionCall) goja.Value {
		i := int(call.Arguments[1].ToInteger())
		if i%pollEvery == 0 {
			l.meter.poll()
		}
		l.visit(i, call.Arguments[0])
		return goja.Undefined()
	})}
}

// flattened returns the items of the array that a method is called on, and those of arrays in it
// down to depth. change, if not nil, changes the items of the first one.
func (l *lists) flattened(call *goja.FunctionCall, depth int64, change rawFunc) goja.Value {
	obj, ok := call.This.(*goja.Object)
	if !ok {
		panic(l.rt.NewTypeError("Array.prototype.flat called on a value that is no object"))
	}
	f := flattening{lists: l, change: change, self: call.Argument(1)}
	f.list(obj, depth, 0)
	return l.rt.NewArray(f.out...)
}

// flattening is one call of flat or flatMap.
type flattening struct {
	lists  *lists
	change rawFunc
	self   goja.Value
	out    []any
}

// list appends the items of an array.
func (f *flattening) list(obj *goja.Object, depth int64, level int) {
	if level > maxFlat {
		f.lists.realm.throwRange(tooDeep)
	}
	f.lists.meter.poll()
	n := int(f.lists.checkItems(obj))
	before := len(f.out)
	f.lists.each(obj, n, func(i int, e goja.Value) {
		if f.change != nil && level == 0 {
			e = f.change(goja.FunctionCall{This: f.self,
				Arguments: []goja.Value{e, f.lists.rt.ToValue(i), obj}})
		}
		if inner, ok := e.(*goja.Object); ok && depth > 0 && inner.ClassName() == "Array" {
			f.list(inner, depth-1, level+1)
			return
		}
		if f.out = append(f.out, e); len(f.out) > maxItems {
			f.lists.realm.throwRange(tooManyItems)
		}
	})
	if level == 0 {
		f.lists.meter.take(itemBytes * (len(f.out) - before))
	}
}

// guardedSort always sorts with a comparison function, so that the sort can be interrupted.
func (l *lists) guardedSort(call goja.FunctionCall, orig rawFunc) goja.Value {
	n, done := l.steady(&call)
	l.meter.take(itemBytes * int(n))
	if goja.IsUndefined(call.Argument(0)) && n < sortPolled && l.short(call.This, int(n)) {
		return done(orig(call))
	}
	if !goja.IsUndefined(call.Argument(0)) && n < sortPolled {
		l.args.pollCallback(&call, 0, int(n))
		return done(orig(call))
	}
	by := l.realm.function(call.Argument(0))
	if by == nil {
		if !goja.IsUndefined(call.Argument(0)) {
			return orig(call) // it is refused
		}
		by = func(c goja.FunctionCall) goja.Value {
			return l.rt.ToValue(l.realm.text(c.Argument(0)).CompareTo(l.realm.text(
				c.Argument(1))))
		}
	}
	compare := l.rt.ToValue(func(c goja.FunctionCall) goja.Value {
		l.meter.poll()
		return by(c)
	})
	return done(orig(goja.FunctionCall{This: call.This, Arguments: []goja.Value{compare}}))
}

// short reports whether the texts in a list of n items, which are compared with each other, are not
// long.
func (l *lists) short(list goja.Value, n int) bool {
	const most = 1 << 20
	obj, ok := list.(*goja.Object)
	if !ok || n < fewCalls {
		return true
	}
	size := 0
	count := func(_ int, item goja.Value) {
		if s, ok := item.(goja.String); ok {
			size += s.Length()
		}
	}
	if items, ok := itemsOf(obj); ok {
		for i, item := range items {
			count(i, item)
		}
	} else {
		l.each(obj, n, count)
	}
	return size < most
}
