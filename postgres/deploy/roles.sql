-- Roles with the least rights, and a schema for each part. Run it once as a superuser, in a new
-- database. The role loader owns the tables of the flowers, the role catalog reads them, and the
-- role coffees creates and drops the tables of the coffee demo.
CREATE EXTENSION IF NOT EXISTS pg_trgm;

CREATE ROLE loader LOGIN;
CREATE ROLE catalog LOGIN;
CREATE ROLE coffees LOGIN;

CREATE SCHEMA flowers AUTHORIZATION loader;
GRANT USAGE ON SCHEMA flowers TO catalog;
ALTER DEFAULT PRIVILEGES FOR ROLE loader IN SCHEMA flowers GRANT SELECT ON TABLES TO catalog;
CREATE SCHEMA coffees AUTHORIZATION coffees;

-- Every role works in its schema. A load copies the flowers into a temporary table first.
ALTER ROLE loader SET search_path = flowers;
ALTER ROLE catalog SET search_path = flowers;
ALTER ROLE coffees SET search_path = coffees;
DO $$ BEGIN
  EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database());
  EXECUTE format('GRANT CONNECT ON DATABASE %I TO catalog, coffees, loader', current_database());
  EXECUTE format('GRANT TEMPORARY ON DATABASE %I TO loader', current_database());
END $$;
