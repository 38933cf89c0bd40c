package respond

// absentHere are the errors of this system for names that are no file.
var absentHere []error
