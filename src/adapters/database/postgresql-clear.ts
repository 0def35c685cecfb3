/**
 * SQL that removes everything from a PostgreSQL database that a dump would bring, and nothing of the system or of extensions
 * that stay. `pg_restore --clean` removes only what the dump names, which leaves what was made since.
 */

/** Not made by initdb, and not part of an extension. */
const OWN = (catalog: string, oid: string): string =>
  `${oid} >= 16384 AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.classid = 'pg_catalog.${catalog}'::pg_catalog.regclass AND d.objid = ${oid} AND d.deptype = 'e')`;

/** Things that are in no schema, by their catalog. */
const OUTSIDE_OF_SCHEMAS = [
  "pg_event_trigger",
  "pg_publication",
  "pg_cast",
  "pg_foreign_server",
  "pg_foreign_data_wrapper",
];

const literal = (text: string): string => `E'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`;

/** `extensions`: those that the dump has as well. */
export function clearSql(extensions: readonly string[]): string {
  const names = extensions.map(literal).join(", ");
  const outside = OUTSIDE_OF_SCHEMAS.map(
    (catalog) =>
      `SELECT 'pg_catalog.${catalog}'::pg_catalog.regclass::oid AS classid, c.oid AS objid FROM pg_catalog.${catalog} c WHERE ${OWN(catalog, "c.oid")}`,
  ).join(" UNION ALL ");
  return `
SET client_min_messages = error;
DO $waymark$
DECLARE
  item record;
BEGIN
  -- They would be added to the rights of everything that is made below. There is no DROP for them; an entry that says what holds
  -- without it goes by itself.
  FOR item IN
    SELECT DISTINCT pg_catalog.format('ALTER DEFAULT PRIVILEGES FOR ROLE %I %s', r.rolname, CASE WHEN n.nspname IS NULL THEN '' ELSE pg_catalog.format('IN SCHEMA %I', n.nspname) END) AS start,
      CASE d.defaclobjtype WHEN 'r' THEN 'TABLES' WHEN 'S' THEN 'SEQUENCES' WHEN 'f' THEN 'FUNCTIONS' WHEN 'T' THEN 'TYPES' WHEN 'n' THEN 'SCHEMAS' END AS kind,
      CASE WHEN a.grantee = 0 THEN 'PUBLIC' ELSE pg_catalog.quote_ident(g.rolname) END AS grantee,
      n.nspname IS NULL AS is_global, pg_catalog.quote_ident(r.rolname) AS owner, a.grantee = d.defaclrole AS is_owner
    FROM pg_catalog.pg_default_acl d JOIN pg_catalog.pg_roles r ON r.oid = d.defaclrole
    LEFT JOIN pg_catalog.pg_namespace n ON n.oid = d.defaclnamespace
    LEFT JOIN LATERAL pg_catalog.aclexplode(d.defaclacl) a ON true LEFT JOIN pg_catalog.pg_roles g ON g.oid = a.grantee
    WHERE d.defaclobjtype IN ('r', 'S', 'f', 'T', 'n') ORDER BY 1, 2
  LOOP
    IF item.grantee IS NOT NULL AND NOT (item.is_owner AND item.is_global) THEN
      EXECUTE pg_catalog.format('%s REVOKE ALL ON %s FROM %s', item.start, item.kind, item.grantee);
    END IF;
    IF item.is_global THEN
      EXECUTE pg_catalog.format('%s GRANT ALL ON %s TO %s', item.start, item.kind, item.owner);
      IF item.kind IN ('FUNCTIONS', 'TYPES') THEN
        EXECUTE pg_catalog.format('%s GRANT ALL ON %s TO PUBLIC', item.start, item.kind);
      END IF;
    END IF;
  END LOOP;
  FOR item IN SELECT extname FROM pg_catalog.pg_extension WHERE extname <> ALL (ARRAY['plpgsql', ${names === "" ? "''" : names}]::pg_catalog.name[]) LOOP
    EXECUTE pg_catalog.format('DROP EXTENSION IF EXISTS %I CASCADE', item.extname);
  END LOOP;
  FOR item IN SELECT i.type, i.identity FROM (${outside}) AS found, pg_catalog.pg_identify_object(found.classid, found.objid, 0) AS i ORDER BY 1, 2 LOOP
    EXECUTE pg_catalog.format('DROP %s IF EXISTS %s CASCADE', item.type, item.identity);
  END LOOP;
  -- Neither parts of extensions nor of other objects (the sequence of an identity column goes with its table).
  -- Sorted, so that all of it is read before the first goes. What is in a schema, one by one: dropping the schema would take extensions with it that live there.
  FOR item IN
    SELECT i.type, i.identity
    FROM pg_catalog.pg_namespace n
    JOIN pg_catalog.pg_depend d ON d.refclassid = 'pg_catalog.pg_namespace'::pg_catalog.regclass AND d.refobjid = n.oid AND d.deptype = 'n'
    CROSS JOIN LATERAL pg_catalog.pg_identify_object(d.classid, d.objid, 0) AS i
    WHERE n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema'
      AND d.classid <> 'pg_catalog.pg_default_acl'::pg_catalog.regclass
      AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend e WHERE e.classid = d.classid AND e.objid = d.objid AND e.objsubid = 0 AND e.deptype IN ('e', 'i'))
    ORDER BY d.classid <> 'pg_catalog.pg_class'::pg_catalog.regclass
  LOOP
    -- With CASCADE the next one may be gone already.
    EXECUTE pg_catalog.format('DROP %s IF EXISTS %s CASCADE',
      CASE WHEN item.type IN ('function', 'procedure', 'aggregate') THEN 'ROUTINE' WHEN item.type = 'statistics object' THEN 'STATISTICS' ELSE item.type END, item.identity);
  END LOOP;
  FOR item IN
    SELECT n.nspname FROM pg_catalog.pg_namespace n
    WHERE n.nspname NOT LIKE 'pg\\_%' AND n.nspname NOT IN ('information_schema', 'public')
      AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend e WHERE e.refclassid = 'pg_catalog.pg_namespace'::pg_catalog.regclass AND e.refobjid = n.oid)
      AND ${OWN("pg_namespace", "n.oid")}
  LOOP
    EXECUTE pg_catalog.format('DROP SCHEMA %I CASCADE', item.nspname);
  END LOOP;
  PERFORM pg_catalog.lo_unlink(oid) FROM pg_catalog.pg_largeobject_metadata;
  CREATE SCHEMA IF NOT EXISTS public;
END
$waymark$;`;
}

/** What belongs to somebody else whose rights the user does not have. */
const OTHERS = `
  SELECT i.identity AS name
  FROM (
    SELECT 'pg_catalog.pg_class'::pg_catalog.regclass AS classid, c.oid, c.relowner AS owner FROM pg_catalog.pg_class c
      JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind IN ('r', 'p', 'v', 'm', 'S', 'f') AND n.nspname NOT LIKE 'pg\\_%' AND ${OWN("pg_class", "c.oid")}
    UNION ALL
    SELECT 'pg_catalog.pg_proc'::pg_catalog.regclass, p.oid, p.proowner FROM pg_catalog.pg_proc p WHERE ${OWN("pg_proc", "p.oid")}
    UNION ALL
    SELECT 'pg_catalog.pg_namespace'::pg_catalog.regclass, n.oid, n.nspowner FROM pg_catalog.pg_namespace n WHERE n.nspname NOT LIKE 'pg\\_%' AND ${OWN("pg_namespace", "n.oid")}
  ) AS found
  CROSS JOIN LATERAL pg_catalog.pg_identify_object(found.classid, found.oid, 0) AS i
  WHERE NOT pg_catalog.pg_has_role(found.owner, 'USAGE') LIMIT 5`;

/** Tables that HOLD_WRITERS_SQL could not lock. */
const LOCKED = `
  SELECT i.identity AS name
  FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  CROSS JOIN LATERAL pg_catalog.pg_identify_object('pg_catalog.pg_class'::pg_catalog.regclass, c.oid, 0) AS i
  WHERE c.relkind IN ('r', 'p') AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema'
    AND NOT pg_catalog.has_table_privilege(c.oid, 'UPDATE, DELETE, TRUNCATE') LIMIT 5`;

/** Where things are made again: the database itself, for schemas, and the schema that is always there, if it is used. */
const CLOSED = `
  SELECT 'the database' AS name WHERE NOT pg_catalog.has_database_privilege(pg_catalog.current_database(), 'CREATE')
  UNION ALL
  SELECT 'schema public' FROM pg_catalog.pg_namespace n WHERE n.nspname = 'public' AND NOT pg_catalog.has_schema_privilege(n.oid, 'CREATE')
    AND EXISTS (SELECT FROM pg_catalog.pg_class c WHERE c.relnamespace = n.oid)`;

const listed = (query: string): string =>
  `(SELECT coalesce(pg_catalog.json_agg(name), '[]') FROM (${query}) AS names)`;

/** What the user may not do that a restore needs, as JSON. */
export const MISSING_RIGHTS_SQL = `SELECT pg_catalog.json_build_object('others', ${listed(OTHERS)}, 'locked', ${listed(LOCKED)}, 'schemas', ${listed(CLOSED)});`;

/** Nobody may write from here on; everybody may read. */
export const HOLD_WRITERS_SQL = `
DO $waymark$
DECLARE
  item record;
BEGIN
  FOR item IN SELECT n.nspname, c.relname FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p') AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema' LOOP
    EXECUTE pg_catalog.format('LOCK TABLE %I.%I IN SHARE MODE', item.nspname, item.relname);
  END LOOP;
END
$waymark$;`;
