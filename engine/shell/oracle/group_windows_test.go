package oracle

import "os/exec"

func setGroup(*exec.Cmd)  {}
func killGroup(*exec.Cmd) {}
