-- The roles, each of which works in the schema of its search_path. Run it as a superuser: in a new
-- cluster, and there before a restore. To run it again does no harm.
DO $$
DECLARE role text;
BEGIN
  FOREACH role IN ARRAY ARRAY['loader', 'catalog', 'coffees'] LOOP
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role) THEN
      EXECUTE format('CREATE ROLE %I LOGIN', role);
      EXECUTE format('ALTER ROLE %I SET search_path = %I', role, CASE role WHEN 'coffees' THEN 'coffees' ELSE 'flowers' END);
    END IF;
  END LOOP;
END $$;
