// Package confine confines its own process, and then runs a program as its child. engine/fence
// starts the agent's executable with Name as its first argument, and with Variable in its
// environment, which the program does not get.
//
// The package checks for both while it is initialized and does not return, so that nothing else of
// the agent runs: main is never reached.
//
// The process stays, confined like the program, until the program ends, and ends in the same way.
// Processes of the program that lose their parent become children of this process, also if it is
// not confined: so they are known as long as it runs. It ignores signals: without a terminal, the
// program is the leader of a process group of its own.
//
// The other arguments are settings, each a key, a colon and a value, then "--", the path of the
// program and its arguments. The package fails closed: if anything cannot be set up, the program
// does not run, and the process ends with the exit code Failed and a line on stderr that begins
// with Name.
package confine

// Name is the first argument of a process that confines itself.
const Name = "agent-fence"

// Variable is in the environment of a process that confines itself; its value does not matter.
const Variable = "AGENT_FENCE"

// Processors is in that environment too, with the value 1: the runtime of Go then starts faster.
// Original is the program's own variable of this name, if there is one, with another name.
const (
	Processors = "GOMAXPROCS"
	Original   = "AGENT_FENCE_GOMAXPROCS"
)

// Failed is the exit code if the process could not be confined.
const Failed = 125

// The keys of settings. Values are absolute paths that exist, unless noted otherwise.
const (
	Mounts    = "mounts"   // the process has a mount namespace of its own; no value
	OwnMemory = "memory"   // with Mounts: /dev/shm is empty, and the process's own; no value
	OwnIPC    = "ipc"      // the process has an IPC namespace of its own; no value
	NoSockets = "sockets"  // no sockets can be made, except for pairs; no value
	Within    = "within"   // another program has made mounts: Landlock may be missing; no value
	Loopback  = "loopback" // the process has a network namespace of its own; no value
	Proxy     = "proxy"    // with Loopback: the descriptor of a socket to which a listener is sent
	Writable  = "writable" // a file, or a folder and everything below it
	ReadOnly  = "readonly" // below a writable folder: not writable; needs Mounts
	Link      = "link"     // below a writable folder: a link that cannot be replaced; needs Mounts
	// a folder whose entries can be made, changed and removed, except for those in Kept; it may be
	// in a read-only one
	Opened   = "opened"
	Kept     = "kept"     // entries of opened folders that cannot be changed; needs Mounts
	Hidden   = "hidden"   // a file or folder that cannot be opened; needs Mounts
	Readable = "readable" // without Mounts: what can be read; absent: everything
	Listed   = "listed"   // without Mounts: a folder whose names can be listed
	Free     = "free"     // the process is not confined; no value
	Space    = "space"    // the descriptor of a socket to which the mount namespace is sent
	// the descriptor of a mount namespace in which a program runs: nothing is started, and the
	// paths of ReadOnly, Link and Hidden are protected there
	Hold = "hold"
)

// HeldBefore stands before a path that Hold found protected, in what it writes.
const HeldBefore = "="

// NothingLeft is sent through the socket of Space if no process of the program runs when it ends.
const NothingLeft = 'n'

// The proxy of a process with a network namespace of its own listens at ProxyAddress there.
const (
	ProxyPort    = 3128
	ProxyAddress = "127.0.0.1:3128"
)
