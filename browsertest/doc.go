// Package browsertest opens what the module serves in a real browser: the viewer, the pages, and
// pages of other origins that read the description and the flowers. It is tests alone, in a module
// of its own, so that the core does not need what drives a browser.
//
// The tests want Debian's Chromium, or another one named by the environment variable CHROMIUM, and
// npm, which installs axe-core on the first run. They fail without them.
package browsertest
