import { describe, expect, test } from 'bun:test';
import { parentOf, asksForTraces } from './tracing.ts';

const trace = '0af7651916cd43dd8448eb211c80319c';
const span = 'b7ad6b7169203331';

describe('a traceparent goes on only if it is one', () => {
  const cases: ReadonlyArray<readonly [string | null, number | null]> = [
    [`00-${trace}-${span}-01`, 1],
    [`00-${trace}-${span}-00`, 0],
    [`00-${trace}-${span}-ff`, 1],
    [`cc-${trace}-${span}-01-what-the-future-will-be-like`, 1],
    [`00-${trace}-${span}-01-more`, null],
    [`ff-${trace}-${span}-01`, null],
    [`00-${'0'.repeat(32)}-${span}-01`, null],
    [`00-${trace}-${'0'.repeat(16)}-01`, null],
    [`00-${trace.toUpperCase()}-${span}-01`, null],
    [`00-${trace}-${span}`, null],
    [`00-${trace}-${span}-01, 00-${trace}-${span}-01`, null],
    ['', null],
    [null, null],
  ];
  test.each(cases)('%p', (given, flags) => {
    const parent = flags === null ? undefined : { traceId: trace, spanId: span, traceFlags: flags };
    expect(parentOf(given)).toEqual(parent as never);
  });
});

describe('traces are made when the environment asks for them', () => {
  const asked = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318' };
  const cases: ReadonlyArray<readonly [Record<string, string>, boolean]> = [
    [{}, false],
    [asked, true],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://localhost:4318/v1/traces' }, true],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }, false],
    [{ OTEL_SERVICE_NAME: 'shop' }, false],
    [{ ...asked, OTEL_SDK_DISABLED: 'TRUE' }, false],
    [{ ...asked, OTEL_SDK_DISABLED: 'false' }, true],
    [{ ...asked, OTEL_TRACES_EXPORTER: 'none' }, false],
    [{ ...asked, OTEL_TRACES_EXPORTER: 'otlp' }, true],
  ];
  test.each(cases)('%j', (env, expected) => expect(asksForTraces(env)).toBe(expected));
});
