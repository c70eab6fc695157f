// Package trial tries scripts in a simulated world: on one event, on the tests that a script
// contains (ext.test), and on harmless commands that no guard should refuse.
//
//	results, err := trial.Test(ctx, trial.Options{Runtimes: runtimes}, "guard.lua")
//	for _, r := range results { fmt.Println(r.Name, r.Err) }
//
// It promises: each test has its own world, with a fresh load of the script, an agent, and a home
// and a working directory that are removed afterwards; tools only report what they would have done;
// no program, server or model is used; time moves only when the test moves it. It does not stop a
// malicious script: grants do that.
package trial
