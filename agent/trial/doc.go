// Package trial tries scripts in a world made up for them: one event, the tests that a script
// brings with it (ext.test), harmless commands that no guard should refuse.
//
//	results, err := trial.Test(ctx, trial.Options{Runtimes: runtimes}, "guard.lua")
//	for _, r := range results { fmt.Println(r.Name, r.Err) }
//
// It promises: each test has a world of its own, with a fresh load of the script, an agent, a home
// and a working directory that are gone afterwards; tools only say what they would have done; no
// program runs, no server and no model is asked; time stands still until the test moves it. It does
// not hold back a script that wants to do harm: that is for grants.
package trial
