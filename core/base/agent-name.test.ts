import { expect, test } from 'bun:test';
import { agentHeader, agentName, agentNameIn, agentOf } from './agent-name.ts';

test.each([
  ['a name', 'Claude Code', 'Claude Code'],
  ['spaces around it', '  cursor ', 'cursor'],
  ['several lines', 'a\r\nb\u2028c', 'a b c'],
  ['control characters', 'a\u0000\u001b[31mb', 'a [31mb'],
  ['characters that turn the direction', 'a\u202Eb\u2066c', 'a b c'],
  ['invisible characters only', '\u200B\u200D\uFEFF', undefined],
  ['nothing', '', undefined],
  ['no text', 7, undefined],
  ['half a character', 'a\ud800', 'a\ufffd'],
  ['too long', 'x'.repeat(200), 'x'.repeat(80)],
  ['a megabyte of it', 'y'.repeat(1_000_000), 'y'.repeat(80)],
  ['whole characters', '𝒳'.repeat(100), '𝒳'.repeat(80)],
])('%s', (_, given, expected) => expect(agentName(given)).toBe(expected));

test.each([
  [{ name: 'claude-code', title: 'Claude Code' }, 'Claude Code'],
  [{ name: 'claude-code', title: ' ' }, 'claude-code'],
  [{ name: 7 }, undefined],
  [null, undefined],
  ['name', undefined],
])('the name in %j', (info, expected) => expect(agentNameIn(info)).toBe(expected));

test.each([
  [undefined, undefined],
  ['', {}],
  ['Claude%20Code', { client: 'Claude Code' }],
  ['%E2%80%AEx', { client: 'x' }],
  ['%', {}],
])('the header %p', (text, expected) =>
  expect(agentOf(new Headers(text === undefined ? {} : { [agentHeader]: text }))).toEqual(expected),
);
