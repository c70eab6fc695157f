// Package fence runs programs in a sandbox of the operating system.
//
//	f := fence.New(fence.Options{Policy: func(dir string) fence.Policy { ... }})
//	cmd := exec.Command("make", "test")
//	if err := f.Confine(cmd); err != nil { ... } // nothing has been started
//	err := cmd.Run()
//
// A confined program, and everything that it starts, writes only what the policy names, cannot open
// what the policy hides, and cannot examine or change processes outside. Setuid programs give it no
// more rights. A Method is the mechanism of the system that enforces this:
//
//   - Mounts: for root, a mount namespace, in which the rest is read-only, and Landlock.
//   - Namespaces: the same with a user namespace.
//   - Bubblewrap: bwrap makes the same mounts where programs cannot have namespaces themselves.
//   - Landlock alone, where neither is allowed. It cannot make exceptions below a writable folder:
//     Policy.ReadOnly and Policy.Hidden do not hold there, see Fence.Gaps.
//   - Seatbelt: sandbox-exec of macOS.
//
// The first method that works on this machine is used. Each is tried once, by running a program.
package fence
