import { Database } from 'bun:sqlite';

/* Writes to the database of the first argument, and never pauses for longer than a millisecond, until its stdin ends. */
const [path = ''] = process.argv.slice(2);
const db = new Database(path);
for (const pragma of ['synchronous = FULL', 'wal_autocheckpoint = 0', 'busy_timeout = 10000'])
  db.run(`PRAGMA ${pragma}`);
const change = db.prepare('UPDATE t SET x = randomblob(300) WHERE id = 1 + abs(random() % 20000)');
const add = db.prepare('INSERT INTO t (x) VALUES (randomblob(300))');
const commit = db.transaction(() => {
  for (let n = 0; n < 4; n++) change.run();
  add.run();
});
const over = new AbortController();
void (async () => {
  for await (const _ of Bun.stdin.stream());
  over.abort();
})();
while (!over.signal.aborted) {
  commit.immediate();
  await Bun.sleep(1);
}
db.close();
