// Package reliability tests the whole module from outside, with hostile, many, slow and
// disconnecting clients. It contains only tests.
//
// With FLOWERCAFE_LONG=1 in the environment the tests run as long as in CI. Public lists of bad
// input are read from ../../../shared/public-inputs, or from the directory in PUBLIC_INPUTS.
// Without them, tests log what they skip.
package reliability
