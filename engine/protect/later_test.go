package protect

import "testing"

func TestGivesWork(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]bool{
		"at now <<< 'rm x'":               true,
		"echo 'rm x' | at now + 1 hour":   true,
		"at -f job.sh midnight":           true,
		"batch < job.sh":                  true,
		"crontab FILE":                    true,
		"crontab -":                       true,
		"crontab -e":                      true,
		"(crontab -l; cat x) | crontab -": true,
		"sudo crontab -u root x":          true,
		"bash -c 'crontab x'":             true,
		"xargs crontab < list":            true,
		"/usr/bin/at now < x":             true,
		"systemd-run --user rm x":         true,
		"launchctl load x.plist":          true,
		"launchctl submit -l x -- rm x":   true,
		"schtasks /create /tn x /tr y":    true,
		"SCHTASKS.EXE /Run /tn x":         true,
		"crontab -l":                      false,
		"crontab -l | grep backup":        false,
		"at -l":                           false,
		"atq":                             false,
		"launchctl list":                  false,
		"schtasks /Query":                 false,
		"systemd-run --version":           false,
		"git commit -m 'crontab x'":       false,
		"man crontab":                     false,
		"grep -rn at now":                 false,
	} {
		if got := givesWork(command); (got != "") != want {
			t.Errorf("%s: got %q", command, got)
		}
	}
}
