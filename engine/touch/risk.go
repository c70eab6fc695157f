// This file says what a user should know about a call before allowing it.

package touch

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/realpath"
	"github.com/agentscripts/agent/engine/shell"
)

// networkCommands are commands that certainly connect to other machines. The list helps a user who
// decides about a call; nothing is allowed because a command is not on it.
var networkCommands = [...]string{"curl", "wget", "ssh", "scp", "sftp", "ftp", "telnet", "nc",
	"ncat", "netcat", "socat", "mosh", "rclone", "ping", "dig", "nslookup", "whois", "aria2c",
	"yt-dlp", "gh", "glab", "aws", "gcloud", "az", "heroku", "npx", "bunx", "pnpx",
	"git push", "git pull", "git fetch", "git clone", "git ls-remote", "git submodule update",
	"git remote update", "npm install", "npm ci", "npm update", "npm publish", "npm audit",
	"npm view", "npm outdated", "npm exec", "pnpm install", "pnpm add", "pnpm update",
	"pnpm publish", "pnpm dlx", "yarn install", "yarn add", "yarn dlx", "yarn publish",
	"bun install", "bun add", "bun x", "pip install", "pip download", "pip3 install",
	"pip3 download", "pipx install", "uv sync", "uv add", "uv pip install", "poetry install",
	"poetry add", "go get", "go install", "go mod download", "go mod tidy", "cargo install",
	"cargo add", "cargo fetch", "cargo update", "cargo publish", "docker pull", "docker push",
	"docker login", "podman pull", "podman push", "apt install", "apt update", "apt upgrade",
	"apt-get install", "apt-get update", "apt-get upgrade", "dnf install", "yum install", "apk add",
	"brew install", "brew update", "brew upgrade", "gem install", "gem push", "bundle install",
	"composer install", "composer require", "composer update", "rustup update", "terraform init",
	"terraform apply"}

// risksShown is how many paths or commands a sentence about a risk names.
const risksShown = 3

// Risks returns what a user should know about the call before allowing it.
func (t *Touched) Risks() engine.Risks {
	return engine.Risks{Outside: outside(t), Unknown: unknown(t), Network: network(t),
		OnlyReads: onlyReads(t)}
}

// outside returns the sentence about files outside of the project that the call writes.
func outside(t *Touched) string {
	project, _ := realpath.Of(t.project)
	var paths []string
	for _, path := range t.writes {
		if _, in := realpath.Below(project, path); !in && !socket(filepath.ToSlash(path)) &&
			!slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	if len(paths) == 0 {
		return ""
	}
	return "writes outside of the project: " + some(paths)
}

// unknown returns the sentence about files that the call may write and does not name.
func unknown(t *Touched) string {
	const files = "may write files that are not known"
	i := slices.IndexFunc(t.why.doubts, func(d shell.Doubt) bool { return d.Writes || !d.Reads })
	switch {
	case t.Unknown() && i >= 0:
		return files + ": " + t.why.doubts[i].String()
	case t.Unknown():
		return files
	case t.program != "" && t.program != "git": // git commit runs hooks, if there are any
		return t.program + " runs code, which may write any file"
	}
	return ""
}

// network returns the sentence about the programs of the call that connect to other machines, as
// far as they are known.
func network(t *Touched) string {
	if t.script == nil {
		return ""
	}
	var found []string
	for _, words := range networkCommands {
		rules := shell.ReadCommandPattern(words + " *").Rules("")
		v := t.script.Check(&shell.Rules{Ask: rules, Opaque: "allow"})
		if v.Decision == "ask" && !v.Doubt {
			found = append(found, words)
		}
	}
	if slices.ContainsFunc(t.script.Redirects,
		func(r shell.Redirect) bool { return socket(r.Path) }) {
		found = append(found, "a redirection")
	}
	if len(found) == 0 {
		return ""
	}
	return "uses the network: " + some(found)
}

// socket reports whether bash connects to a host if a redirection names this path.
func socket(path string) bool {
	return strings.HasPrefix(path, "/dev/tcp/") || strings.HasPrefix(path, "/dev/udp/")
}

// some joins the first few of a list, and says how many there are besides.
func some(list []string) string {
	var shown []string
	for _, one := range list[:min(len(list), risksShown)] {
		shown = append(shown, shell.Show(filepath.ToSlash(one)))
	}
	text := strings.Join(shown, ", ")
	if more := len(list) - len(shown); more > 0 {
		text += " and " + plain.Count(more, "other")
	}
	return text
}
