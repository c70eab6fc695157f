// Package process runs programs, and ends each with all processes that it started.
//
//	p, err := process.Start(process.Command{Argv: process.Shell("make test"), Dir: dir,
//		Output: show})
//	how := p.Wait(ctx, time.Minute)
//	code := p.State().ExitCode()
//
// A program is the leader of a process group and of a session of its own: it has no terminal, and
// its child processes can be ended with it. On systems without process groups, only the program
// itself is ended. On Linux, processes that left the group or the session are ended too: those in a
// mount namespace that was made for the program, and children of the others that still have their
// parent. The package does not
// look up programs, check permissions or keep output.
package process
