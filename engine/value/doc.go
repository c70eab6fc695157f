// Package value has the plain data that crosses between Go and scripts: its kinds (Object, List,
// Lazy, Secret, Function), how it is described (Field) and checked (Check, CheckArgs), and which
// keys an object may have (Shape), so that reading one that cannot be there is an error.
//
//	v, err := value.Check(value.Field{Type: "table", Fields: fields}, returned)
//	data, err := value.Plain(v) // maps, slices, strings, numbers and booleans only
//
// Errors name the place as a script's author wrote it: `ext.tool: schema: got string, want table`.
// The package knows no script and no engine.
package value
