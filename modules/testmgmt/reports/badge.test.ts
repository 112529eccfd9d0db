import { describe, expect, test } from 'bun:test';
import { SaxesParser } from 'saxes';
import type { Tally } from '../rules/test-status.ts';
import { badge } from './badge.ts';

/** The elements and texts of the image, as a strict parser reads them. */
function read(svg: string) {
  const elements: Array<{ readonly name: string; readonly attributes: Readonly<Record<string, string>> }> =
    [];
  const texts: string[] = [];
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }) => void elements.push({ name, attributes }));
  parser.on('text', (text) => void (text.trim() === '' || texts.push(text)));
  parser.write(svg).close();
  return { elements, texts };
}

const none: Tally = { passed: 0, failed: 0, blocked: 0, retest: 0, untested: 0 };
const [green, red, purple, brown, grey] = ['#14693a', '#c22f26', '#7a4fc0', '#8f5a00', '#5d6673'];

describe('says', () => {
  const cases: ReadonlyArray<readonly [Partial<Tally>, string, string]> = [
    [{ passed: 231, failed: 2, untested: 7 }, '231 passed, 2 failed', red],
    [{ passed: 240 }, '240 passed', green],
    [{ failed: 2 }, '0 passed, 2 failed', red],
    [{ passed: 1, blocked: 3 }, '1 passed, 3 blocked', purple],
    [{ passed: 1, retest: 3 }, '1 passed, 3 retest', brown],
    [{ failed: 1, blocked: 1, retest: 1 }, '0 passed, 1 failed, 1 blocked, 1 retest', red],
    [{ untested: 7 }, 'not run', grey],
    [{}, 'none', grey],
  ];
  test.each(cases)('%j: %s', (counts, message, colour) => {
    const { elements, texts } = read(badge({ ...none, ...counts }));
    expect(texts).toEqual([`tests: ${message}`, 'tests', message]);
    expect(elements[0]?.attributes['aria-label']).toBe(`tests: ${message}`);
    expect(elements.flatMap(({ attributes }) => attributes['fill'] ?? [])).toEqual(['#555', colour, '#fff']);
  });
});

test('a label is text, and no markup', () => {
  const label = '</text><script>alert(1)</script>"&\u0000';
  const { elements, texts } = read(badge({ ...none, passed: 1 }, label));
  expect(texts[1]).toBe('</text><script>alert(1)</script>"&');
  const names = ['svg', 'title', 'clipPath', 'rect', 'g', 'rect', 'rect', 'g', 'text', 'text'];
  expect(elements.map(({ name }) => name)).toEqual(names);
});

test('loads nothing', () => {
  expect(badge({ ...none, passed: 1 })).not.toMatch(
    /href|url\((?!#)|<style|<image|@import|http(?!:\/\/www\.w3\.org\/2000\/svg)/,
  );
});

describe('is as wide as its texts', () => {
  const widthsOf = (label: string) => {
    const { elements } = read(badge({ ...none, passed: 1 }, label));
    const [side, message] = elements.filter(({ name }) => name === 'rect').slice(1);
    const words = elements.find(({ name }) => name === 'text');
    const width = (attributes: Readonly<Record<string, string>> | undefined) => Number(attributes?.['width']);
    return {
      whole: Number(elements[0]?.attributes['width']),
      sides: [width(side?.attributes), width(message?.attributes)],
      text: Number(words?.attributes['textLength']),
    };
  };
  // Verdana, 11 px.
  test.each<[string, number]>([
    ['tests', 27],
    ['iiii', 13],
    ['mmmm', 43],
    ['漢字', 22],
    ['', 0],
    ['x'.repeat(500), 652],
  ])('%s', (label, text) => {
    const { whole, sides, text: length } = widthsOf(label);
    expect(length).toBe(text);
    expect(sides[0]).toBe(text + 12);
    expect(whole).toBe((sides[0] ?? 0) + (sides[1] ?? 0));
  });
});
