package oracle

import "os/exec"

func own(*exec.Cmd) {}
func end(*exec.Cmd) {}
