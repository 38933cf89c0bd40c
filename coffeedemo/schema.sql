-- The two tables of the coffee demo. STRICT makes SQLite enforce the types, of which REAL is a
-- double (sqlite.org/stricttables.html). WITHOUT ROWID keeps COFFEES in the order of its key, in
-- which it is listed (sqlite.org/withoutrowid.html).

CREATE TABLE SUPPLIERS (
  SUP_ID   INTEGER PRIMARY KEY,
  SUP_NAME TEXT NOT NULL,
  STREET   TEXT NOT NULL,
  CITY     TEXT NOT NULL,
  STATE    TEXT NOT NULL,
  ZIP      TEXT NOT NULL
) STRICT;

CREATE TABLE COFFEES (
  COF_NAME TEXT PRIMARY KEY NOT NULL,
  SUP_ID   INTEGER NOT NULL,
  PRICE    REAL NOT NULL,
  SALES    INTEGER NOT NULL,
  TOTAL    INTEGER NOT NULL,
  CONSTRAINT SUP_FK FOREIGN KEY (SUP_ID) REFERENCES SUPPLIERS (SUP_ID)
) STRICT, WITHOUT ROWID;
