import { expect, test } from 'bun:test';
import { readResultFile } from './result-file.ts';
import { chunksOf } from './testing/read-text.ts';
import { settled } from '../../../test/rejection.ts';

const one = '<testsuite name="s"><testcase name="a"/></testsuite>';
const suite = (inside: string) => `<testsuite name="s">${inside}</testsuite>`;

test.each([
  ['plain', new TextEncoder().encode(one)],
  ['gzip', Bun.gzipSync(one.repeat(500)).slice(0, 60)],
])('a fault of the source is none of the file, and the source is released: %s', async (_title, part) => {
  let released = false;
  async function* broken() {
    try {
      yield part;
      throw new TypeError('the connection broke');
    } finally {
      released = true;
    }
  }
  const { signal } = new AbortController();
  expect(await settled(readResultFile(broken(), { name: 'a', signal }))).toThrow('the connection broke');
  expect(released).toBe(true);
});

test.each([
  ['prose', 'All tests passed. '.repeat(1_000)],
  ['a page', `<html>${' '.repeat(20_000)}`],
  ['too many cases', suite('<testcase/>'.repeat(2_000))],
])('the source of a refused file is released: %s', async (_title, content) => {
  let released = false;
  async function* endless() {
    try {
      for (;;) yield new TextEncoder().encode(content);
    } finally {
      released = true;
    }
  }
  const { signal } = new AbortController();
  const reading = readResultFile(endless(), { name: 'a', signal, caseLimit: 1_000 });
  expect(await settled(reading)).toThrow('a');
  expect(released).toBe(true);
});

test('a signal ends the reading', async () => {
  const content = new TextEncoder().encode(suite('<testcase name="a"/>'.repeat(200_000)));
  const controller = new AbortController();
  const reading = readResultFile(chunksOf(content), { name: 'a', signal: controller.signal });
  controller.abort(new Error('the client left'));
  expect(await settled(reading)).toThrow('the client left');
});
