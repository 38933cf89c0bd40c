// Package sample has mutants that its tests notice, and two that they do not.
package sample

import "errors"

var errNegative = errors.New("negative")

// Fare returns the price for an age.
func Fare(age int) (int, error) {
	if age < 0 {
		return 0, errNegative
	}
	if age > 200 {
		age = 200
	}
	if age < 6 || age >= 65 { // no test asks for 6
		return 1, nil
	}
	return age - 1 - (age - 3), nil
}
