import { expect, test } from 'bun:test';
import { failureText, frameCount } from './failure-text.ts';

const cases: ReadonlyArray<readonly [string, string, ReturnType<typeof failureText>]> = [
  ['a message without a stack', 'expected 1 to be 2\n', { said: 'expected 1 to be 2', own: [], others: [] }],
  [
    'JavaScript',
    [
      'Error: expected 1 to be 2',
      '    at Proxy.equal (/app/node_modules/chai/index.js:1:2)',
      '    at pay (/app/src/pay.ts:12:3)',
      '    at processTicksAndRejections (node:internal/process/task_queues:95:5)',
    ].join('\n'),
    {
      said: 'Error: expected 1 to be 2',
      own: ['at pay (/app/src/pay.ts:12:3)'],
      others: [
        'at Proxy.equal (/app/node_modules/chai/index.js:1:2)',
        'at processTicksAndRejections (node:internal/process/task_queues:95:5)',
      ],
    },
  ],
  [
    'Java, with its cause',
    [
      'java.lang.AssertionError: no stock',
      '\tat org.junit.Assert.fail(Assert.java:86)',
      '\tat shop.CartTest.add(CartTest.java:41)',
      'Caused by: java.io.IOException: closed',
      '\tat shop.Store.read(Store.java:7)',
      '\t... 23 more',
    ].join('\n'),
    {
      said: 'java.lang.AssertionError: no stock\nCaused by: java.io.IOException: closed',
      own: ['at shop.CartTest.add(CartTest.java:41)', 'at shop.Store.read(Store.java:7)'],
      others: ['at org.junit.Assert.fail(Assert.java:86)', '... 23 more'],
    },
  ],
  [
    'Python, whose frames have a line of code',
    [
      'Traceback (most recent call last):',
      '  File "/usr/lib/python3.12/unittest/case.py", line 58, in run',
      '    yield',
      '  File "tests/test_cart.py", line 9, in test_add',
      '    assert total == 3',
      'AssertionError: 2 != 3',
    ].join('\n'),
    {
      said: 'Traceback (most recent call last):\nAssertionError: 2 != 3',
      own: ['File "tests/test_cart.py", line 9, in test_add', '    assert total == 3'],
      others: ['File "/usr/lib/python3.12/unittest/case.py", line 58, in run', '    yield'],
    },
  ],
  ['only a stack', '  at a (b.ts:1:1)', { said: '', own: ['at a (b.ts:1:1)'], others: [] }],
];

test.each(cases)('%s', (_name, message, expected) => {
  expect(failureText(message)).toEqual(expected);
});

test('lines of code below a frame are no frames', () => {
  expect(frameCount(['File "a.py", line 1', '    assert x'])).toBe(1);
});

test('a long message keeps its end, and takes no long time', () => {
  const long = `${'at x ('.repeat(20_000)}END`;
  const begin = performance.now();
  expect(failureText(long).said.endsWith('END')).toBe(true);
  expect(performance.now() - begin).toBeLessThan(200);
});
