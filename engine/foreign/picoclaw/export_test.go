package picoclaw

import "time"

func init() { endGrace = time.Hour }
