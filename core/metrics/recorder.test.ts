import { describe, expect, test } from 'bun:test';
import { exposition } from './exposition.ts';
import { counter, gauge, histogram } from './metric.ts';
import { recorder, silent, type Recorder } from './recorder.ts';

const notes = counter('notes_total', 'Notes that were added.', ['color', 'size']);
const size = histogram('note_seconds', 'Seconds.', ['color'], [1, 2]);
const shelf = gauge('notes_on_shelf', 'Present notes.', []);

describe('what is counted is what a scrape shows', () => {
  const cases: ReadonlyArray<readonly [string, (to: Recorder) => void, readonly string[]]> = [
    ['nothing', () => {}, []],
    [
      'a counter by its labels',
      (to) => {
        to.count(notes, ['red', 'small']);
        to.count(notes, ['red', 'small'], 2);
        to.count(notes, ['red', 'large']);
      },
      ['notes_total{color="red",size="small"} 3', 'notes_total{color="red",size="large"} 1'],
    ],
    [
      'labels that would be one text together',
      (to) => {
        to.count(notes, ['a b', 'c']);
        to.count(notes, ['a', 'b c']);
      },
      ['notes_total{color="a b",size="c"} 1', 'notes_total{color="a",size="b c"} 1'],
    ],
    [
      'a label with a quote, a backslash and a line break',
      (to) => to.count(notes, ['"\\\n', '']),
      [String.raw`notes_total{color="\"\\\n",size=""} 1`],
    ],
    [
      'a histogram, each bucket with those below it, its bound included',
      (to) => {
        for (const value of [0.5, 1, 1.5, 7]) to.observe(size, ['red'], value);
      },
      [
        'note_seconds_bucket{color="red",le="1"} 2',
        'note_seconds_bucket{color="red",le="2"} 3',
        'note_seconds_bucket{color="red",le="+Inf"} 4',
        'note_seconds_sum{color="red"} 10',
        'note_seconds_count{color="red"} 4',
      ],
    ],
    ['a value that is read', (to) => to.read(shelf, () => [[[], 9]]), ['notes_on_shelf 9']],
  ];
  test.each(cases)('%s', async (_title, act, lines) => {
    const counts = recorder();
    act(counts);
    const { text } = exposition([{ metrics: counts.snapshot() }], 'application/openmetrics-text');
    expect(text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))).toEqual([...lines]);
    expect(text).toEndWith('# EOF\n');
    expect(act(silent)).toBeUndefined();
  });
});

test('processes stand beside each other', async () => {
  const [one, two] = [recorder(), recorder()];
  one.count(notes, ['red', 'small']);
  two.count(notes, ['red', 'small'], 5);
  const processes = [one, two].map((counts, i) => ({ worker: String(i + 1), metrics: counts.snapshot() }));
  const { text } = exposition(processes, null);
  expect(text).toContain('notes_total{worker="1",color="red",size="small"} 1\n');
  expect(text).toContain('notes_total{worker="2",color="red",size="small"} 5\n');
  expect(text.split('# TYPE notes counter').length).toBe(2);
});

describe('the format is that which the client accepts', () => {
  const prometheus =
    'application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.2,*/*;q=0.1';
  const cases: ReadonlyArray<readonly [string | null, string, string]> = [
    [null, 'application/openmetrics-text', '# TYPE notes counter'],
    ['*/*', 'application/openmetrics-text', '# TYPE notes counter'],
    [prometheus, 'application/openmetrics-text', '# TYPE notes counter'],
    ['text/plain', 'text/plain', '# TYPE notes_total counter'],
    ['text/plain;version=0.0.4;q=1,*/*;q=0.1', 'text/plain', '# TYPE notes_total counter'],
  ];
  test.each(cases)('%p', async (accept, type, line) => {
    const counts = recorder();
    counts.count(notes, ['red', 'small']);
    const { contentType, text } = exposition([{ metrics: counts.snapshot() }], accept);
    expect(contentType).toStartWith(type);
    expect(text).toContain(`${line}\n`);
    expect(text).toContain('notes_total{color="red",size="small"} 1\n');
  });
});
