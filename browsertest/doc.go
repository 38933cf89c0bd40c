// Package browsertest opens what the module serves in a real browser: the page of apidoc/viewer, and pages of other origins that
// read the description and the flowers. It is tests alone, in a module of its own, so that the core does not need what drives a
// browser.
//
// The tests want Debian's Chromium, or another one named by the environment variable CHROMIUM, and fail without it.
//
//	go test ./... -screenshot page.png
//
// writes a picture of the page under /shop with an answer on it.
package browsertest
