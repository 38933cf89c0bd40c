-- The roles. Each uses the schema in its search_path. Run this file as a superuser in a new cluster,
-- and before a restore into a new cluster. It can be run again. The limits are for two hosts with
-- pools of 50, and for two loads at once, each of which may open a second session.
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
