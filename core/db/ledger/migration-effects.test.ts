import { describe, expect, test } from 'bun:test';
import type { Engine } from '../query/engine.ts';
import { migrationEffects } from './migration-effects.ts';
import { builtInMigrations } from './migrations.ts';

/*
 * A migration that is declared an expansion contains nothing that makes a server of the previous version fail or write wrong data.
 * Statements outside the list of harmless ones are refused, so a new kind of statement has to be considered.
 */
const newestOf010 = '0006_testmgmt_counts';
const engines = ['sqlite', 'postgres'] as const;
const name = '["`]?\\w+["`]?';
const on = '(?:["`]?public["`]?\\.)?';

/** The statements of a migration that an executable without it may not survive. */
function dangers(sql: string, uniqueIndexes: readonly string[]): readonly string[] {
  const statements = sql
    .replaceAll(/--.*$/gm, '')
    .split(/;\s*(?:\n|$)/)
    .map((statement) => statement.replaceAll(/\s+/g, ' ').trim())
    .filter((statement) => statement !== '');
  const created = new Set(
    statements.flatMap((statement) => /^CREATE (?:UNLOGGED )?TABLE ["`]?(\w+)/.exec(statement)?.[1] ?? []),
  );
  const isNew = (table: string | undefined) => table !== undefined && created.has(table);
  const harmless = (statement: string): boolean => {
    if (/^CREATE (?:UNLOGGED )?TABLE /.test(statement)) {
      const references = [...statement.matchAll(new RegExp(`REFERENCES ${on}["\`]?(\\w+)["\`]?[^,]*`, 'g'))];
      return references.every(([clause, table]) => isNew(table) || /ON DELETE cascade/i.test(clause));
    }
    if (statement.startsWith('CREATE INDEX ')) return true;
    // Says that any word may be in a text: every version reads such a text itself, and marks it again.
    if (/^UPDATE testmgmt_text_marks SET (?:m\d+ = -1,? )+WHERE /.test(statement)) return true;
    // Writers wait until the migration ends, as for an index.
    if (/^LOCK TABLE \w+ IN SHARE MODE$/.test(statement)) return true;
    const filledTable = /^INSERT INTO ["`]?(\w+)/.exec(statement);
    if (filledTable) return isNew(filledTable[1]);
    const unique = new RegExp(`^CREATE UNIQUE INDEX ${name} ON ["\`]?(\\w+)`).exec(statement);
    if (unique) return isNew(unique[1]);
    const dropped = /^DROP INDEX (?:IF EXISTS )?["`]?(\w+)/.exec(statement);
    // A unique one may be the target of an ON CONFLICT.
    if (dropped) return !uniqueIndexes.includes(dropped[1] ?? '');
    const added = new RegExp(`^ALTER TABLE ${name} ADD (?:COLUMN )?${name} (.*)$`).exec(statement);
    if (added && !/^ALTER TABLE \S+ ADD CONSTRAINT/.test(statement)) {
      const rest = added[1] ?? '';
      const filled = !/NOT NULL/i.test(rest) || /DEFAULT/i.test(rest);
      return filled && !/UNIQUE|CHECK|REFERENCES|PRIMARY KEY|GENERATED/i.test(rest);
    }
    const constrained = /^ALTER TABLE ["`]?(\w+)["`]? ADD CONSTRAINT/.exec(statement);
    if (!constrained || !isNew(constrained[1])) return false;
    // The previous version deletes rows of the other table without knowing of these.
    const target = new RegExp(`REFERENCES ${on}["\`]?(\\w+)`).exec(statement)?.[1];
    return isNew(target) || /ON DELETE cascade/i.test(statement);
  };
  return statements.filter((statement) => !harmless(statement));
}

/** The unique indexes that the migrations before one have created. */
const uniqueBefore = (engine: Engine, tag: string) =>
  builtInMigrations(engine)
    .filter((migration) => migration.tag < tag)
    .flatMap(({ sql }) =>
      [...sql.matchAll(/CREATE UNIQUE INDEX ["`]?(\w+)/g)].map(([, index]) => index ?? ''),
    );

describe.each(engines)('the migrations on %s', (engine) => {
  const migrations = builtInMigrations(engine);

  test('each one since 0.1.0 is declared, and nothing else', () => {
    const since = migrations.map(({ tag }) => tag).filter((tag) => tag > newestOf010);
    expect(since.length).toBeGreaterThan(0);
    expect(Object.keys(migrationEffects).toSorted()).toEqual(since);
    // 0.1.0 looks for its own migrations under their bare names.
    expect(migrations.filter(({ tag }) => tag <= newestOf010).every(({ effect }) => !effect)).toBe(true);
  });

  test('an expansion harms no server of the version before', () => {
    const wrong = migrations
      .filter(({ effect }) => effect === 'expand')
      .flatMap(({ tag, sql }) =>
        dangers(sql, uniqueBefore(engine, tag)).map((statement) => `${tag}: ${statement}`),
      );
    expect(wrong).toEqual([]);
  });

  test('what is removed after a migration comes after it', () => {
    const wrong = migrations.filter(({ tag, effect }) => {
      const after = effect?.startsWith('after ') ? effect.slice(6) : undefined;
      return after !== undefined && (after >= tag || !migrations.some((each) => each.tag === after));
    });
    expect(wrong).toEqual([]);
  });

  test('counts that the writer keeps are no expansion', () => {
    const counts = migrations.find(({ tag }) => tag === newestOf010);
    expect(dangers(counts?.sql ?? '', []).map((statement) => statement.split(' ')[0])).toEqual([
      'UPDATE',
      'UPDATE',
    ]);
  });
});

describe('what an expansion may not contain', () => {
  const refused: readonly string[] = [
    'DROP TABLE "a";',
    'ALTER TABLE "a" DROP COLUMN "b";',
    'ALTER TABLE "a" RENAME COLUMN "b" TO "c";',
    'ALTER TABLE `__new_a` RENAME TO `a`;',
    'ALTER TABLE "a" ADD COLUMN "b" text NOT NULL;',
    'ALTER TABLE "a" ADD COLUMN "b" bigint REFERENCES "c"("id");',
    'ALTER TABLE `a` ADD `b` text UNIQUE;',
    'ALTER TABLE "a" ALTER COLUMN "b" SET NOT NULL;',
    'ALTER TABLE "a" ALTER COLUMN "b" SET DATA TYPE text;',
    'ALTER TABLE "a" ADD CONSTRAINT "c" CHECK (b > 0);',
    'ALTER TABLE "a" ADD CONSTRAINT "c" FOREIGN KEY ("b") REFERENCES "public"."c"("id");',
    'CREATE UNIQUE INDEX "i" ON "a" ("b");',
    'DROP INDEX "unique_one";',
    'CREATE TABLE "n" ("id" bigint REFERENCES "old"("id"));',
    'CREATE TABLE "n" ("id" bigint);\nALTER TABLE "n" ADD CONSTRAINT "c" FOREIGN KEY ("id") REFERENCES "old"("id") ON DELETE no action;',
    'UPDATE a SET b = 0;',
    'DELETE FROM a;',
    'INSERT INTO a SELECT 1;',
    'LOCK TABLE a IN ACCESS EXCLUSIVE MODE;',
    'CREATE TRIGGER t AFTER INSERT ON a EXECUTE FUNCTION f();',
  ];
  test.each(refused)('%s', (sql) => expect(dangers(sql, ['unique_one'])).toHaveLength(1));

  const allowed: readonly string[] = [
    'CREATE TABLE "n" ("id" bigint PRIMARY KEY, "b" text NOT NULL, CONSTRAINT "u" UNIQUE("b"));',
    'CREATE UNLOGGED TABLE "n" ("id" bigint);\nCREATE UNIQUE INDEX "i" ON "n" ("id");',
    'CREATE TABLE "n" ("id" bigint);\nALTER TABLE "n" ADD CONSTRAINT "c" FOREIGN KEY ("id") REFERENCES "public"."old"("id") ON DELETE cascade ON UPDATE no action;',
    'ALTER TABLE "a" ADD COLUMN "b" bigint DEFAULT 0 NOT NULL;',
    'ALTER TABLE `a` ADD `b` text;',
    'CREATE TABLE "n" ("id" bigint);\nLOCK TABLE a IN SHARE MODE;\nINSERT INTO n WITH b AS (SELECT id FROM a) SELECT id FROM b;',
    'DROP INDEX "plain";\nCREATE INDEX "other" ON "a" ("b") WHERE b IS NULL;',
  ];
  test.each(allowed)('but %s', (sql) => expect(dangers(sql, ['unique_one'])).toEqual([]));
});
