import { describe, expect, test } from 'bun:test';
import { routePatterns } from './route-pattern.ts';

const patternOf = routePatterns(
  ['/', '/mcp', '/cta/launch/', '/notes/:id', '/notes/latest', '/notes/:id/lines/:line', '/files/*'].map(
    (path) => ({ path }),
  ),
);

describe('the pattern of a path', () => {
  const cases: ReadonlyArray<readonly [string, string]> = [
    ['http://h/', '/'],
    ['http://h', '/'],
    ['http://h/mcp', '/mcp'],
    ['http://h/mcp/', '/mcp'],
    ['http://h/mcp?toolsets=a/b', '/mcp'],
    ['http://h/cta/launch', '/cta/launch'],
    ['http://h/cta/launch/', '/cta/launch'],
    ['http://h/notes/latest', '/notes/latest'],
    ['http://h/notes/ann@example.org', '/notes/:id'],
    ['http://h/notes/7/lines/8', '/notes/:id/lines/:line'],
    ['http://h/notes//lines/8', '(none)'],
    ['http://h/notes/7/lines', '(none)'],
    ['http://h/files/a/b', '/files/*'],
    ['http://h/MCP', '(none)'],
    ['http://h//mcp', '(none)'],
    ['http://h/constructor', '(none)'],
    ['http://h/wp-login.php', '(none)'],
  ];
  test.each(cases)('%s is %s', (url, pattern) => {
    expect(patternOf(url)).toBe(pattern);
    // Again: some are remembered.
    expect(patternOf(url)).toBe(pattern);
  });
});
