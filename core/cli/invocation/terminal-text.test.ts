import { describe, expect, test } from 'bun:test';
import { escapeJson, escapeControls } from './terminal-text.ts';

/** @see A name with escapes changed the colours and the title of the terminal of each user who listed it. */
describe('nothing that a terminal obeys is printed', () => {
  const cases: ReadonlyArray<readonly [string, string, string]> = [
    ['colours', '\u001b[31mred', '\\u001b[31mred'],
    ['a window title', '\u001b]0;x\u0007', '\\u001b]0;x\\u0007'],
    ['C1', 'a\u009b31mb\u0085', 'a\\u009b31mb\\u0085'],
    ['delete', 'a\u007f', 'a\\u007f'],
    ['a carriage return that writes over the line', 'safe\rrm', 'safe\\u000drm'],
    ['text turned around', 'abc\u202etxt.exe\u202c', 'abc\\u202etxt.exe\\u202c'],
    ['isolates and marks', '\u2066a\u2069\u200f\u061c', '\\u2066a\\u2069\\u200f\\u061c'],
    ['tabs and lines stay', 'a\tb\nc', 'a\tb\nc'],
    ['other scripts stay', 'ä שלום مرحبا 漢字 😀', 'ä שלום مرحبا 漢字 😀'],
  ];
  test.each(cases)('%s', (_title, text, expected) => {
    expect(escapeControls(text)).toBe(expected);
    const json = escapeJson({ text });
    expect(JSON.parse(json)).toEqual({ text });
    expect(escapeControls(json)).toBe(json);
  });
});
