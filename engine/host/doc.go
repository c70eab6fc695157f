// Package host holds what the functions of ext do: one Go function for each row of the API table.
//
//	table := host.New(host.Options{Home: home, Version: version, Mode: "tui", CWD: dir})
//	engine.New(engine.Options{API: spec.API(), Host: table.Funcs(), Fact: table.Fact, ...})
//
// engine/standard does this, and the rest that an engine needs.
//
// Arguments have been checked by their rows, and grants held, before a function here is called
// (engine.Binding.Invoke); it gets plain data and returns plain data. A failure of the world is an
// *engine.WorldError; any other error is a mistake of the script and is raised at its line.
package host
