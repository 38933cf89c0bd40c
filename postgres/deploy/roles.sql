-- The roles, each of which works in the schema of its search_path. Run it as a superuser: in a new
-- cluster, and there before a restore. To run it again does no harm. The limits are for two hosts
-- with pools of 50, and for two loads at once, each of which looks after itself by a second session.
DO $$
DECLARE r record;
BEGIN
  FOR r IN SELECT * FROM (VALUES ('loader', 'flowers', 5), ('catalog', 'flowers', 100), ('coffees', 'coffees', 100)) v (role, path, sessions) LOOP
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = r.role) THEN
      EXECUTE format('CREATE ROLE %I LOGIN CONNECTION LIMIT %s', r.role, r.sessions);
      EXECUTE format('ALTER ROLE %I SET search_path = %I', r.role, r.path);
    END IF;
  END LOOP;
END $$;
