// Package process runs programs, each with all that it starts.
//
//	p, err := process.Start(process.Command{Argv: process.Shell("make test"), Dir: dir, Output: show})
//	how := p.Wait(ctx, time.Minute)
//	code := p.State().ExitCode()
//
// A program is the leader of a process group and of a session of its own: it has no terminal, and
// what it starts can be ended with it. Where a system has no such groups, the program alone is
// ended. What makes itself a session of its own has left, and lives on. The package looks nothing
// up, asks no permission and keeps no output.
package process
