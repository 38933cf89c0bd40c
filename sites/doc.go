// Package sites moves the routes of six public applications to package routing and compares which
// route answers, and with which parameters, with what Rails and Sinatra answered to the same
// requests. The files of testdata have the routes' methods, patterns and constraints, which are
// facts, with their source and licence; nothing of the applications' code is here.
package sites
