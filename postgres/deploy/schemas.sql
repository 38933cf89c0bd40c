-- The schemas, with minimal privileges. Run this file in the database as a superuser, after roles.sql,
-- and after a restore, since a dump has no privileges on its database. It can be run again. The
-- role loader owns the tables of the flowers, the role catalog reads them, and the role coffees
-- creates and drops the tables of the coffee demo.
CREATE EXTENSION IF NOT EXISTS pg_trgm;

-- Until PostgreSQL 14, all roles may create objects there.
REVOKE CREATE ON SCHEMA public FROM PUBLIC;

CREATE SCHEMA IF NOT EXISTS flowers AUTHORIZATION loader;
GRANT USAGE ON SCHEMA flowers TO catalog;
ALTER DEFAULT PRIVILEGES FOR ROLE loader IN SCHEMA flowers GRANT SELECT ON TABLES TO catalog;
CREATE SCHEMA IF NOT EXISTS coffees AUTHORIZATION coffees;

-- A load copies the flowers into a temporary table first.
DO $$ BEGIN
  EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database());
  EXECUTE format('GRANT CONNECT ON DATABASE %I TO catalog, coffees, loader', current_database());
  EXECUTE format('GRANT TEMPORARY ON DATABASE %I TO loader', current_database());
END $$;
