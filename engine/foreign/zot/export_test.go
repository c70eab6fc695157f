package zot

import "time"

func init() { endGrace = time.Hour }
