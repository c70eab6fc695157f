package js

func setRegexpTimeout() {}
