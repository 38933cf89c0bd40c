CREATE TABLE suppliers (
  sup_id   integer PRIMARY KEY,
  sup_name text NOT NULL,
  street   text NOT NULL,
  city     text NOT NULL,
  state    text NOT NULL,
  zip      text NOT NULL
);

CREATE TABLE coffees (
  cof_name text PRIMARY KEY,
  sup_id   integer NOT NULL,
  price    double precision NOT NULL,
  sales    integer NOT NULL,
  total    integer NOT NULL,
  CONSTRAINT sup_fk FOREIGN KEY (sup_id) REFERENCES suppliers (sup_id)
);
