import { expect, test } from 'bun:test';
import type { Host } from '../../host/host.ts';
import { endsWithServer } from './server-stop.ts';

type Step = keyof ReturnType<typeof endsWithServer>;

/** @see A request of which the stop knew nothing yet waited on: the server gave up on it after 10 s, and its client got no answer. */
test.each<[readonly Step[], number]>([
  [['add'], 0],
  [['add', 'stop'], 1],
  [['add', 'delete', 'stop'], 0],
  [['stop', 'add'], 1],
  [['stop', 'add', 'delete'], 1],
])('after %j a stream was ended %d times', (steps, times) => {
  const ends = endsWithServer({} as Host);
  let ended = 0;
  const end = () => void ended++;
  for (const step of steps) ends[step](end);
  expect(ended).toBe(times);
});
