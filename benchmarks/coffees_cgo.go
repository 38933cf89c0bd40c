//go:build cgo

package main

import _ "github.com/mattn/go-sqlite3" // the driver "sqlite3"

const hasCgo = true

var cgoDrivers = []sqlDriver{{"database/sql+mattn", "sqlite3", "file:/mattn?vfs=memdb"}}
