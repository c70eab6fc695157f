// Package share installs scripts from elsewhere, and keeps what is installed in order.
//
//	from, err := share.ParseSource("github:someone/scripts/guard.lua@v2")
//	got, err := fetcher.Fetch(ctx, from)   // never runs anything of it
//	p, err := in.Preview(got.Files[0])     // what the user decides about
//	err = in.Install(ctx, p)               // those bytes, or the old ones: never a part
//
// The lock file, scripts.lock in the agent's folder, says of each installed script where it came
// from and which bytes these were. It is meant for dotfiles: Sync makes another machine equal.
package share
