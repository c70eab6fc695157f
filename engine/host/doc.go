// Package host implements the functions of ext: one Go function for each row of the API table.
//
//	table := host.New(host.Options{Home: home, Version: version, Mode: "tui", CWD: dir})
//	engine.New(engine.Options{API: spec.API(), Host: table.Funcs(), Fact: table.Fact, ...})
//
// engine/standard does this, and sets up the rest of an engine.
//
// Arguments and grants have been checked against the rows before a function here is called
// (engine.Binding.Invoke); it gets plain data and returns plain data. An external failure, such as
// a missing file, is a *fault.WorldError; any other error is a mistake of the script and is
// raised at its line.
package host
