// Package reliability holds tests of the whole module from outside: what clients that mean harm, clients that are many, and clients
// that go away may do to a service that has it. It has no code of its own.
//
// Most of it is quick. What takes minutes runs with DEMAND=1 in the environment. Public lists of bad input are read from
// ../../shared/public-inputs, or from the directory in PUBLIC_INPUTS; tests that find none say what they did not run.
package reliability
