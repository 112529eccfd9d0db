import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { refusalText } from './refusal-text.ts';

const reference = readFileSync(
  join(import.meta.dir, '..', '..', '..', '..', 'docs', 'operations.md'),
  'utf8',
);
const tools = [
  ...reference.matchAll(/^\| `([a-z]+(?:-[a-z]+)+)` \|.*\| (?:read|create|update|delete) \|$/gm),
].map(([, name = '']) => name);
const codes = [...reference.matchAll(/^\| `([A-Z_]+)` \| \d{3} \| \d+ \| (.*) \|$/gm)];
const namesTool = (text: string) => tools.filter((name) => new RegExp(`\\b${name}\\b`).test(text));

describe('no error shows the name of a tool to a person', () => {
  test('the reference was read', () => {
    expect(tools.length).toBeGreaterThan(90);
    expect(codes.length).toBeGreaterThan(60);
  });
  test.each(codes.map(([, code = '', tip = '']) => [code, tip] as const))('%s', (code, tip) => {
    const text = refusalText({ code, message: 'It was refused.', tip });
    expect(namesTool(text)).toEqual([]);
    expect(text).not.toMatch(/--[a-z]|trivet [a-z]|\b[a-z]+[A-Z]/);
    // There is none that a person could send again.
    expect(text).not.toMatch(/\brequest\b/);
    // The message of the server would name the tool.
    const said = code === 'UNKNOWN_TOOL' ? /^This server does not offer this\./ : /^It was refused\./;
    expect(text).toMatch(said);
  });
  test.each(tools)('not even %s in a message of its own', (tool) => {
    const text = refusalText({
      code: 'X',
      message: `There is no such thing. Use ${tool} first.`,
      tip: undefined,
    });
    expect(text).toBe('There is no such thing.');
  });
});

test.each([
  [
    {
      code: 'ILLEGAL_STATUS_CHANGE',
      message: 'A LIVE CTA cannot become DRAFT.',
      tip: 'Use get-cta to see status, then set-cta-status.',
    },
    'A LIVE CTA cannot become DRAFT. The menu of the CTA offers the changes that are possible now.',
  ],
  [
    {
      code: 'CTA_NOT_EDITABLE',
      causeWord: 'status',
      message: 'CTA "8" is LIVE; only DRAFT and PAUSED ones can be edited.',
    },
    'The CTA is live, scheduled or ended by now, and cannot be edited. Pause it first, or copy it.',
  ],
  [
    {
      code: 'ILLEGAL_STATUS_CHANGE',
      causeWord: 'status',
      message: 'CTA "8" cannot become PAUSED. It is LIVE already; from there it may become CONCLUDED.',
    },
    'The CTA has another status by now. The menu of the CTA offers the changes that are possible now.',
  ],
  [
    {
      code: 'TEST_NOT_FOUND',
      causeWord: 'tests',
      message: 'There is no such test, or it is deleted: tests[1].testId is 2. Nothing was written.',
    },
    'Some of these tests are deleted by now. Nothing was written. Clear the selection and tick the others again.',
  ],
  [
    {
      code: 'NOT_IN_PROJECT',
      causeWord: 'testIds',
      message: 'Not tests of project 1, or deleted: testIds[1] is 4328. Nothing was written.',
    },
    'Some of these tests are deleted by now. Nothing was written. Clear the selection and tick the others again.',
  ],
  // Two hundred of these were listed one by one.
  [
    {
      code: 'NOT_IN_PROJECT',
      causeWord: 'tests',
      message:
        'tests[0].priorityId is not of project 1; tests[1].priorityId is not of project 1. Nothing was written.',
    },
    'What you chose was deleted meanwhile. Nothing was written. Choose something else.',
  ],
  [
    {
      code: 'INVALID_REQUEST',
      message:
        'Invalid arguments for create-behaviour-tag: exposureRule.window.limit must be a whole number.',
      tip: 'create-behaviour-tag takes tenantId (string, optional).',
    },
    'exposureRule.window.limit must be a whole number.',
  ],
  // Nothing else would be left.
  [
    { code: 'X', message: 'The file is none of export-tests.', tip: undefined },
    'The file is none of export-tests.',
  ],
  [{ code: 'CONSTRUCTOR', message: 'No.', tip: 'Try 2 words.' }, 'No. Try 2 words.'],
])('%o', (refused, text) => expect(refusalText(refused)).toBe(text));
