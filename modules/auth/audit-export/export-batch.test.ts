import { describe, expect, test } from 'bun:test';
import { generateKeyPairSync } from 'node:crypto';
import { batchVerifier, headerHash, signBatch, type Batch } from './export-batch.ts';
import { retryPauseMs } from './export-job.ts';
import { exportTargetOf } from './export-target.ts';

const own = generateKeyPairSync('ed25519');
const foreign = generateKeyPairSync('ed25519');
const keys = new Map([['own', own.publicKey]]);

/** Batches of two entries each, one after the other. */
function chain(count: number, key = own.privateKey): Batch[] {
  const made: Batch[] = [];
  for (let sequence = 1; sequence <= count; sequence++) {
    const before = made.at(-1)?.header;
    const after = before?.lastId ?? 0;
    const entries = [1, 2].map((n) => ({
      eventId: after + n,
      at: '2026-01-01T00:00:00.000Z',
      event: 'sign_in',
      ids: { 7: 1, a: 2 },
    }));
    const header = {
      kid: 'own',
      sequence,
      previous: before ? headerHash(before) : null,
      after,
      at: '2026-01-01T00:00:00.000Z',
    };
    made.push(signBatch(header, entries, key));
  }
  return made;
}

const verified = (lines: readonly (Batch | string)[]) => {
  const verifier = batchVerifier(keys);
  for (const line of lines) verifier.read(typeof line === 'string' ? line : JSON.stringify(line));
  return verifier.result();
};
const problemsOf = (lines: readonly (Batch | string)[]) =>
  verified(lines).problems.map(({ problem, line }) => `${problem} ${line}`);
const changed = (
  batch: Batch | undefined,
  change: (copy: {
    header: Record<string, unknown>;
    entries: Array<Record<string, unknown>>;
    signature: string;
  }) => void,
): Batch => {
  const copy = structuredClone(batch) as never;
  change(copy);
  return copy;
};

const [one, two, three, four] = chain(4) as [Batch, Batch, Batch, Batch];

describe('a whole file', () => {
  test('says what is in it', () => {
    expect(verified([one, two, three])).toEqual({
      batches: 3,
      entries: 6,
      firstSequence: 1,
      lastSequence: 3,
      firstId: 1,
      lastId: 6,
      repeated: 0,
      problems: [],
      endsTorn: false,
    });
  });
  const cases: ReadonlyArray<readonly [string, ReadonlyArray<Batch | string>]> = [
    ['that begins later', [two, three]],
    ['with a batch that came again', [one, two, one, two, three]],
    ['with a torn line, whose batch came again', [one, JSON.stringify(two).slice(0, 90), two]],
    [
      'formatted by another program',
      [JSON.stringify(one, null, 0), '', JSON.stringify(JSON.parse(JSON.stringify(two)))],
    ],
  ];
  test.each(cases)('%s', (_title, lines) => expect(problemsOf(lines)).toEqual([]));
});

test('a last line that is cut off is told, one that was written again is not', () => {
  const torn = JSON.stringify(two).slice(0, 90);
  expect([verified([one, torn]).endsTorn, verified([one, torn, two]).endsTorn]).toEqual([true, false]);
});

describe('what is found', () => {
  const cases: ReadonlyArray<readonly [string, ReadonlyArray<Batch | string>, readonly string[]]> = [
    ['a missing batch', [one, three], ['gap 2']],
    ['a torn line whose batch did not come again', [one, '{"header":', three], ['gap 3']],
    ['another order', [two, one], ['gap 2']],
    [
      'a changed entry',
      [
        changed(one, ({ entries }) => {
          (entries[0] ?? {})['event'] = 'sign_out';
        }),
      ],
      ['entries_changed 1'],
    ],
    ['an entry less', [changed(one, ({ entries }) => void entries.pop())], ['entries_changed 1']],
    [
      'a changed header',
      [
        changed(one, ({ header }) => {
          header['lastId'] = 9;
        }),
      ],
      ['signature 1'],
    ],
    [
      'another key',
      [
        changed(one, ({ header }) => {
          header['kid'] = 'other';
        }),
      ],
      ['unknown_key 1'],
    ],
    ['a batch that somebody else signed', [...chain(1, foreign.privateKey)], ['signature 1']],
    [
      'two different batches of one number',
      [one, signBatch({ ...one.header }, [{ eventId: 1 }], own.privateKey)],
      ['forked 2'],
    ],
    [
      'a chain that was begun anew',
      [one, two, signBatch({ ...three.header, previous: null }, three.entries, own.privateKey)],
      ['gap 3'],
    ],
    [
      'entries left out between two batches',
      [one, signBatch({ ...two.header, after: 1 }, two.entries, own.privateKey)],
      ['gap 2'],
    ],
    ['something else', [one, '{"a":1}', '7', two], ['not_a_batch 2', 'not_a_batch 3']],
    ['a gap once only', [one, three, four], ['gap 2']],
  ];
  test.each(cases)('%s', (_title, lines, problems) => expect(problemsOf(lines)).toEqual([...problems]));
});

describe('targets', () => {
  const good: ReadonlyArray<readonly [string, object]> = [
    ['file:/var/log/audit.jsonl', { kind: 'file', path: '/var/log/audit.jsonl' }],
    ['file:///var/log/audit.jsonl', { kind: 'file', path: '/var/log/audit.jsonl' }],
    ['https://siem.example/audit?tenant=1', { kind: 'webhook', url: 'https://siem.example/audit?tenant=1' }],
    ['syslog://log.example', { kind: 'syslog', host: 'log.example', port: 514, tls: false }],
    ['syslog+tls://log.example', { kind: 'syslog', host: 'log.example', port: 6514, tls: true }],
    ['syslog://[::1]:1514', { kind: 'syslog', host: '::1', port: 1514, tls: false }],
  ];
  test.each(good)('%s', (text, target) => expect(exportTargetOf(text)).toEqual(target as never));
  test.each([
    'file:audit.jsonl',
    'file:/var/log/',
    'file:',
    'udp://log.example',
    'syslog://',
    'https://',
    'x',
  ])('%s is refused', (text) => {
    expect(() => exportTargetOf(text)).toThrow('--audit-export must be');
  });
});

test('pauses grow to five minutes', () => {
  expect([1, 2, 5, 9, 50].map((failures) => retryPauseMs(failures, 1))).toEqual([
    1_000, 2_000, 16_000, 256_000, 300_000,
  ]);
  expect(retryPauseMs(1, 0)).toBe(500);
});
