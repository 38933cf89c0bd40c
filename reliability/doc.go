// Package reliability tests a service with the whole module from outside: hostile clients, many
// clients, slow clients, and clients that go away. It has no code of its own.
//
// With FLOWERCAFE_LONG=1 in the environment the tests run at full length, as in CI. Public lists of
// bad input are read from ../../shared/public-inputs, or from the directory in PUBLIC_INPUTS. Tests
// that find none log what they did not run.
package reliability
