import { expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

test('no page says what a write makes stale: useChange and useWrite do', () => {
  const folder = join(import.meta.dir, '..');
  const found = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) =>
      /\.tsx?$/.test(name) &&
      !name.startsWith('api/') &&
      /\b(?:invalidateQueries|refetchQueries|useMutation)\b/.test(readFileSync(join(folder, name), 'utf8')),
  );
  expect(found).toEqual([]);
});
