// Package browsertest tests the module's pages in a real browser: the viewer, the home pages, the
// route inspector, and pages of other origins that read the description and the flowers. It is a
// separate module, so that the core does not depend on a browser driver.
//
// The tests need Debian's Chromium, or the one that the environment variable CHROMIUM names, and
// npm, which installs axe-core on the first run. They fail without them.
package browsertest
