import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { generateIdentity, identityToRecipient } from 'age-encryption';
import { appendFileSync, cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compiled, runTrivet } from '../executable.ts';
import { startServed } from '../served.ts';
import { temporaryDirectory } from '../temporary.ts';
import { ran, randomFrom, scaled, seed } from '../verify/scale.ts';

/*
 * Backups of a server under writes, restored in every way that can go wrong: the result is the data of one moment of the backup, or a
 * refusal that changes nothing. Projects are numbered in the order of their acknowledgement, so the possible contents of a copy are known.
 *
 * Mutation note: seen to fail when the log of the replaced database is left in place and when checksums are not compared.
 */
const tries = scaled(30, 1_000);
const random = randomFrom(seed);
const writers = 4;

const trivet = (...args: readonly string[]) => runTrivet(compiled, args);

/** The numbers of the projects in an unused directory. Throws for a damaged database. */
function numbersIn(directory: string): ReadonlySet<number> {
  const client = new Database(join(directory, 'trivet.db'));
  try {
    expect(client.query('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
    expect(client.query('PRAGMA foreign_key_check').all()).toEqual([]);
    const rows = client.query<{ name: string }, []>('SELECT name FROM testmgmt_projects').all();
    return new Set(rows.map(({ name }) => Number(name)));
  } finally {
    client.close();
  }
}

interface Drill {
  readonly what: string;
  /** Prepares the target and the archive. @returns the words of the command, and the message of a refusal. */
  readonly prepare: (place: { archive: string; target: string }) => {
    readonly words: readonly string[];
    readonly refused?: RegExp;
  };
}

test(`${tries} restores give the data of one moment, or are refused (SEED=${seed})`, async () => {
  const served = await startServed();
  const identity = await generateIdentity();
  const recipient = await identityToRecipient(identity);
  const keys = temporaryDirectory('keys');
  const [right, wrong] = [join(keys, 'right'), join(keys, 'wrong')];
  writeFileSync(right, identity, { mode: 0o600 });
  writeFileSync(wrong, await generateIdentity(), { mode: 0o600 });

  let started = 0;
  const acknowledged = new Set<number>();
  const over = new AbortController();
  const write = async () => {
    while (!over.signal.aborted) {
      const number = started++;
      const { status } = await served.tool('create-project', { orgId: 1, projectName: String(number) });
      expect(status).toBe(200);
      acknowledged.add(number);
      // A larger database would only make each try longer.
      await Bun.sleep(20);
    }
  };
  const writing = Promise.all(Array.from({ length: writers }, write));

  const used = join(temporaryDirectory('used'), 'data');
  const drills: readonly Drill[] = [
    { what: 'a new directory', prepare: () => ({ words: [] }) },
    {
      what: 'an older copy',
      prepare: ({ target }) => {
        if (existsSync(used)) cpSync(used, target, { recursive: true });
        return { words: ['--force'] };
      },
    },
    {
      what: 'the log of another database',
      prepare: ({ target }) => {
        if (existsSync(used)) cpSync(used, target, { recursive: true });
        for (const name of ['trivet.db-wal', 'trivet.db-shm'])
          if (existsSync(join(served.data, name)))
            cpSync(join(served.data, name), join(target, name), { recursive: true });
        return { words: ['--force'] };
      },
    },
    {
      what: 'a truncated archive',
      prepare: ({ archive }) => {
        const bytes = readFileSync(archive);
        writeFileSync(archive, bytes.subarray(0, random.below(bytes.length)));
        return {
          words: ['--age-identity-file', right],
          refused: /incomplete|damaged|no backup|cannot be decrypted/,
        };
      },
    },
    {
      what: 'a changed byte',
      prepare: ({ archive }) => {
        const bytes = readFileSync(archive);
        const at = random.below(bytes.length);
        bytes.writeUInt8(bytes.readUInt8(at) ^ (1 + random.below(255)), at);
        writeFileSync(archive, bytes);
        return { words: ['--age-identity-file', right] };
      },
    },
    {
      what: 'the wrong key',
      prepare: () => ({ words: ['--age-identity-file', wrong], refused: /cannot be decrypted/ }),
    },
    { what: 'more after its end', prepare: ({ archive }) => (appendFileSync(archive, 'x'), { words: [] }) },
  ];
  const outcomes = new Map<string, number>();
  for (let n = 0; n < tries; n++) {
    const place = {
      archive: join(keys, 'backup.tar.gz'),
      target: join(temporaryDirectory('target'), 'data'),
    };
    const drill = random.pick(drills);
    const encrypted = drill.what === 'the wrong key' ? ['--backup-recipient', recipient] : [];
    const least = new Set(acknowledged);
    const made = await trivet('backup', place.archive, '--data', served.data, ...encrypted);
    expect(made.exitCode).toBe(0);
    const most = started;
    const { words, refused } = drill.prepare(place);
    const before = existsSync(join(place.target, 'trivet.db'))
      ? Bun.hash(readFileSync(join(place.target, 'trivet.db')))
      : undefined;
    const { exitCode, stderr } = await trivet('restore', place.archive, '--data', place.target, ...words);
    const what = { n, drill: drill.what };
    if (refused) expect({ ...what, exitCode }).toEqual({ ...what, exitCode: 2 });
    if (refused) expect(stderr).toMatch(refused);
    if (exitCode === 0) {
      const numbers = numbersIn(place.target);
      expect({ ...what, lost: [...least].filter((number) => !numbers.has(number)) }).toEqual({
        ...what,
        lost: [],
      });
      expect([...numbers].filter((number) => number >= most)).toEqual([]);
      rmSync(used, { recursive: true, force: true });
      cpSync(place.target, used, { recursive: true });
    } else {
      expect({ ...what, exitCode }).toEqual({ ...what, exitCode: 2 });
      const after = existsSync(join(place.target, 'trivet.db'))
        ? Bun.hash(readFileSync(join(place.target, 'trivet.db')))
        : undefined;
      expect({ ...what, after }).toEqual({ ...what, after: before });
    }
    const outcome = `${drill.what}: ${exitCode === 0 ? 'restored' : 'refused'}`;
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    // A refusal takes 2 s, because the other process might only be checking whether it is alone.
    if (n % 20 === 0) {
      const live = await trivet('restore', place.archive, '--data', served.data, '--force');
      expect(live.exitCode).toBe(2);
    }
    rmSync(place.target, { recursive: true, force: true });
    rmSync(place.archive);
  }
  over.abort();
  await writing;
  await served.running.stop();
  for (const [outcome, count] of [...outcomes].sort()) process.stdout.write(`figure: ${outcome} ${count}\n`);
  ran(tries, `restores beside ${acknowledged.size} writes`);
}, 3_600_000);
