// Package process runs programs, and ends each with all processes that it started.
//
//	p, err := process.Start(process.Command{Argv: process.Shell("make test"), Dir: dir,
//		Output: show})
//	how := p.Wait(ctx, time.Minute)
//	code := p.State().ExitCode()
//
// A program is the leader of a process group, in a session of its own: it has no terminal, and its
// child processes can be ended with it. On systems without process groups, only the program itself
// is ended. On Linux, processes that left the group or the session are ended too, also if they have
// lost their parent: a program that is confined, or has a Family, gets a parent that adopts them
// (engine/internal/confine), so that what belongs to which program is known while it runs. After a
// program has ended by itself, a Family tells what it has left running. The package does not look
// up programs, check permissions or keep output.
package process
