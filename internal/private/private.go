// Package private makes exported methods private to this module. Types of several packages have
// such methods, so the methods can't be unexported. Each has a parameter of type [Key], and other
// modules can neither call it nor implement an interface with it.
package private

// Key is the parameter's type. Other modules can't import it.
type Key struct{}
