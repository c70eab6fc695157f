package fence

var methods = []method{{Seatbelt, seatbelt}}
