package touch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLinksWithKnownNames checks that a name of which parts are unknown may be that of a link, or
// of a file with several names.
func TestLinksWithKnownNames(t *testing.T) {
	f, dir := world(t)
	silent := func(what, glob string) (lines []string) {
		t.Helper()
		for _, line := range []string{`echo x >> "rc-$(hostname)"`, `tee "rc/$(uname -m)"`,
			`v="rc-$(uname -m)"; echo x > $v`, `echo x > "rc-$(git branch --show-current)"`,
			`echo x >> "d-$(hostname)/.bashrc"`, `truncate -s0 "hard-$(uname -m)"`,
			`cat "env.$(uname)"`, `cat "$(uname)"`, `sort "env.$(date +%Y)"`,
			`v=env.$(uname); grep x "$v"`} {
			if fits, sure := f.Command(line, dir, dir).Fits(what, glob); !fits && sure {
				lines = append(lines, line)
			}
		}
		return lines
	}
	if got := silent("writes", "~/.bashrc"); len(got) != 10 {
		t.Errorf("without links %d lines are certain: %q", len(got), got)
	}
	rc := filepath.Join(f.Home, ".bashrc")
	if err := os.Mkdir(filepath.Join(dir, "rc"), 0o700); err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{"rc-host": rc, "rc/x86_64": rc, "d-host": f.Home,
		"env.Linux": ".env", "Linux": ".env"} {
		if err := os.Symlink(to, filepath.Join(dir, from)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link(rc, filepath.Join(dir, "hard-x86_64")); err != nil {
		t.Skip("this system has no hard links")
	}
	if got := silent("writes", "~/.bashrc"); len(got) != 4 {
		t.Errorf("certain with links: %q", got)
	}
	if got := silent("reads", "**/.env"); len(got) > 6 {
		t.Errorf("certain with links: %q", got)
	}
}

// TestOddTrackedNames checks that names which programs split, unquote or take as flags, and
// repositories that git may see otherwise, make it unknown which files a list of git names.
func TestOddTrackedNames(t *testing.T) {
	const line = "git ls-files | xargs cat"
	for name, odd := range map[string]func(dir string) error{
		"-f.env": nil, ".e'n'v": nil, "x /etc/passwd": nil, "@(.env)": nil, "ä": nil,
		"head is a link": func(dir string) error {
			head := filepath.Join(dir, ".git", "HEAD")
			if err := os.Remove(head); err != nil {
				return err
			}
			return os.Symlink("refs/heads/main", head)
		},
		"bare": func(dir string) error {
			for _, one := range []string{"HEAD", "objects", "refs"} {
				if err := os.Mkdir(filepath.Join(dir, one), 0o700); err != nil {
					return err
				}
			}
			return nil
		},
	} {
		f, dir := world(t)
		runGit(t, dir, "init", "-q")
		runGit(t, dir, "add", "a.go")
		if fits, sure := f.Command(line, dir, dir).Fits("reads", "**/.env"); fits || !sure {
			t.Errorf("%s: fits %v, sure %v", line, fits, sure)
		}
		if odd == nil {
			file := filepath.Join(dir, name)
			if os.MkdirAll(filepath.Dir(file), 0o700) != nil ||
				os.WriteFile(file, nil, 0o600) != nil {
				t.Skipf("this system has no file %q", name)
			}
			runGit(t, dir, "add", "--", name)
		} else if err := odd(dir); err != nil {
			t.Fatal(err)
		}
		if fits, sure := f.Command(line, dir, dir).Fits("reads", "**/.env"); !fits && sure {
			t.Errorf("%s: it is believed to be certain", name)
		}
	}
}

// TestKeepers checks which files of settings programs print or change.
func TestKeepers(t *testing.T) {
	f, dir := world(t)
	for line, want := range map[string]string{
		"aws configure get aws_secret_access_key":         "reads ~/.aws/credentials",
		"aws --profile x configure export-credentials":    "reads ~/.aws/credentials",
		"aws configure set region eu":                     "writes ~/.aws/config",
		"kubectl config view --raw":                       "reads ~/.kube/config",
		"gh auth token":                                   "reads ~/.config/gh/hosts.yml",
		"npm config get //registry.example.com/:_auth":    "reads ~/.npmrc",
		"npm config set x y":                              "writes ~/.npmrc",
		"printf 'host=x\n' | git credential fill":         "reads ~/.git-credentials",
		"gpg --armor --export-secret-keys me@example.com": "reads ~/.gnupg/**",
		"npm config get //registry.example.com/:_auth -q": "reads ~/.npmrc",
		"gpg --quiet --export-secret-keys me@example.com": "reads ~/.gnupg/**",
	} {
		what, glob, _ := strings.Cut(want, " ")
		if fits, sure := f.Command(line, dir, dir).Fits(what, glob); !fits && sure {
			t.Errorf("%s\n%s is certain not to happen", line, want)
		}
	}
	for _, line := range []string{"aws s3 ls", "kubectl get pods", "gh pr list", "npm ci"} {
		if fits, sure := f.Command(line, dir, dir).Fits("reads", "~/**"); fits || !sure {
			t.Errorf("%s: fits %v, sure %v", line, fits, sure)
		}
	}
}

// TestComputedNames checks which computed names are certain to be others than those that guards are
// about.
func TestComputedNames(t *testing.T) {
	f, dir := furnished(t)
	f = f.In([]string{"HOME=" + f.Home, "PATH=/usr/bin:/bin"})
	for name, to := range map[string]string{"e-2026": filepath.Join(f.Home, ".bashrc"),
		"d-2026": f.Home, "v-web": ".env"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
	}
	for line, asks := range map[string]bool{
		`cp f "f.$(date +%s)"`:                                                false,
		`cp f e-$(date +%Y)`:                                                  true,
		`cp x/.bashrc "d-$(date +%Y)"`:                                        true,
		`cp -r src "e-$(date +%Y)"`:                                           true,
		`git checkout $(git merge-base main HEAD)`:                            false,
		`git checkout $(git rev-parse HEAD~1)`:                                false,
		`docker volume rm $(docker volume ls -qf dangling=true)`:              false,
		`docker volume rm $(cat list)`:                                        false,
		`docker exec $(docker compose ps -q db) pg_dump app > dump.sql`:       false,
		`docker tag app:latest app:$(jq -r .version package.json)`:            false,
		`docker push "app:$(cat VERSION)"`:                                    false,
		`docker push $(cat .env)`:                                             true,
		`podman push --digestfile ~/.bashrc app`:                              true,
		`podman push app docker-archive:$HOME/.bashrc`:                        true,
		`podman image push app oci:$HOME/.bashrc`:                             true,
		`podman pull --authfile .env app`:                                     true,
		`podman rm --cidfile=.env`:                                            true,
		`docker push --digestfile ~/.bashrc app`:                              true,
		`podman rm .env`:                                                      false,
		`echo > "x$(docker compose exec web head -q f)"`:                      true,
		`echo > "x$(docker compose run -q web env)"`:                          true,
		`echo > "x$(docker-compose config x | awk '{print $2}')"`:             true,
		`echo > "x$(docker ps -q --format=.bashrc)"`:                          true,
		`echo > "x.$(docker ps -q --format bashrc)"`:                          true,
		`echo > "x$(kubectl get cm x -o name -o yaml)"`:                       true,
		`echo > "x$(kubectl get cm x -o yaml -l jsonpath=x)"`:                 true,
		`echo > "x$(kubectl get cm x -n y-oname -o yaml)"`:                    true,
		`echo > "x$(kubectl get cm x -o yaml | awk '{print $2}')"`:            true,
		`echo > "x$(kubectl get cm x -o name)"`:                               false,
		`echo > "x$(docker compose ps -q)"`:                                   false,
		`cat ".env$(date +%F | tail -n0)"`:                                    true,
		`echo > ~/.bashrc$(date +%F | head -n -1)`:                            true,
		`ulimit -v 100; echo > ~/.bashrc$(date +%F)`:                          true,
		`IFS=-0123456789; cat .env$(date +%F)`:                                true,
		`IFS=-; cp f ~/.bashrc-$(date +%Y)`:                                   true,
		`IFS=m; cat .envm$(git branch --show-current)`:                        true,
		`IFS=-; cat ".env-$(date +%F)"`:                                       false,
		`while IFS= read -r c; do cp f f.$(date +%F); done < f`:               false,
		`cat ".env$(date +%F)"`:                                               false,
		`cp s "n-$(date +%Y)"; bash n-2026`:                                   true,
		`mv s "n-$(date +%Y)"; ./n-2026`:                                      true,
		`cat s > "n-$(date +%Y)"; sh n-2026`:                                  true,
		`cp s "M$(git branch --show-current)"; make`:                          true,
		`cp s "$(git branch --show-current)"; sh main`:                        true,
		`cp s "$(date +%Y)/x"; sh 2026/x`:                                     true,
		`cp s "x_$(date +%s).go"; go test ./...`:                              true,
		`cp s "git-$(git branch --show-current)"; git main`:                   true,
		`cp s "n-$(date +%Y)"; make`:                                          false,
		`go test ./... > "log-$(date +%F)"; [ -s x ] && make`:                 false,
		`mv s "x-$(git rev-parse --short HEAD)"; make ls`:                     false,
		`cp -P e-x "l-$(date +%Y)"; echo > "l-$(date +%Y)"`:                   true,
		`cp -d e-x "l-$(date +%Y)"; echo > l-2026`:                            true,
		`./docker push .env`:                                                  true,
		`docker() { cat "$@"; }; docker rm .env`:                              true,
		`PATH=.:$PATH; docker rm .env`:                                        true,
		`docker ps -q | while read id; do docker inspect "$id"; done`:         false,
		`kubectl get pods -o name | while read p; do kubectl logs $p; done`:   false,
		`docker ps --format '{{.Names}}' | while read c; do cat v-$c; done`:   true,
		`docker ps --format '{{.Labels}}' | while read c; do zork $c; done`:   true,
		`docker run -e SECRET=$(openssl rand -hex 32) app`:                    false,
		`find src -name '*.c' | while read f; do wc -l < "$f"; done`:          false,
		`find . -name '.e*' | while read f; do wc -l < "$f"; done`:            true,
		`find . -name 'e*' | while read f; do echo > "$f"; done`:              true,
		`find . -name '*.c' | while read f; do cat < "${f%main.c}.env"; done`: true,
	} {
		got := f.Command(line, dir, dir)
		reads, sure := got.Fits("reads", "**/.env")
		writes, sureToo := got.Fits("writes", "~/.bashrc")
		if (reads || !sure || writes || !sureToo) != asks {
			t.Errorf("%s\n reads %v, %v, writes %v, %v", line, reads, sure, writes, sureToo)
		}
	}
}
