package request

var OffsetOfValues = offsetOfValues

// ForgetFields makes the fields unknown until the function that it returns is called.
func ForgetFields() (restore func()) {
	at := valuesAt
	valuesAt = 0
	return func() { valuesAt = at }
}
