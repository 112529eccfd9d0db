import { describe, expect, test } from 'bun:test';
import { hashOf, ledgerName, ledgerOf, newerThan, findPending } from './ledger.ts';
import type { Migration, MigrationEffect } from './migration.ts';

/*
 * Mutation note: seen to fail when an unknown expansion is refused, when the tag after "after" is not looked up, and when the prefix
 * stays on a known expansion, which would then be applied twice.
 */
const migration = (tag: string, effect?: MigrationEffect): Migration => ({
  tag,
  sql: `-- ${tag}`,
  ...(effect && { effect }),
});
const own = [
  migration('0000_init'),
  migration('0001_table', 'expand'),
  migration('0002_drop', 'after 0001_table'),
];
const rows = (names: readonly string[]) =>
  names.map((tag) => {
    const known = own.find((each) => ledgerName(each) === tag || each.tag === tag);
    return { tag, hash: known ? hashOf(known) : 'unknown' };
  });

test('the names of the ledger say what an executable that does not know them may do', () => {
  expect(own.map(ledgerName)).toEqual(['0000_init', 'expand/0001_table', '0002_drop after 0001_table']);
});

describe('an executable with 0000, 0001 and 0002', () => {
  /** Names in the ledger → what is still to apply, what it passes over, and what stops it. */
  const cases: ReadonlyArray<
    readonly [string, readonly string[], { missing?: string[]; newer?: string[]; stops?: string }]
  > = [
    ['nothing', [], { missing: ['0000_init', '0001_table', '0002_drop'] }],
    ['its own', ['0000_init', 'expand/0001_table', '0002_drop after 0001_table'], { missing: [] }],
    ['its own, from before effects were declared', ['0000_init', '0001_table', '0002_drop'], { missing: [] }],
    ['a plugin', ['0000_init', 'notes/0000_init'], { missing: ['0001_table', '0002_drop'] }],
    [
      'a newer expansion',
      ['0000_init', 'expand/0001_table', '0002_drop after 0001_table', 'expand/0003_more'],
      { missing: [], newer: ['0003_more'] },
    ],
    ['a newer contraction', ['0000_init', '0003_less'], { stops: '0003_less' }],
    [
      'a newer contraction of what it uses no more',
      ['0000_init', 'expand/0001_table', '0002_drop after 0001_table', '0003_less after 0001_table'],
      { missing: [], newer: ['0003_less'] },
    ],
    [
      'a contraction of what it still uses',
      ['0000_init', '0004_less after 0003_unused'],
      { stops: '0004_less' },
    ],
    [
      'several, of which one stops it',
      ['0000_init', 'expand/0003_unused', '0004_less after 0003_unused'],
      { stops: '0004_less' },
    ],
  ];
  test.each(cases)('%s', (_title, names, { missing, newer = [], stops }) => {
    const applied = rows(names);
    const check = () => ledgerOf(own).check(names);
    if (stops !== undefined) {
      expect(() => findPending(applied, own)).toThrow(`written by a newer Trivet (it has "${stops}")`);
      expect(check).toThrow(`A newer Trivet has changed the database ("${stops}")`);
      return;
    }
    expect(findPending(applied, own).map(({ tag }) => tag)).toEqual(missing ?? []);
    expect([...newerThan(applied, own)]).toEqual(newer);
    expect(check).not.toThrow();
  });

  test.each(['0001_table', 'expand/0001_table'])('an edited %s is refused', (tag) => {
    expect(() => findPending([{ tag, hash: 'another' }], own)).toThrow('"0001_table" differs');
  });
});
