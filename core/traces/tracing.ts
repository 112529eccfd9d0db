/** The attributes of a span. Never personal data, record ids or the text of a statement. */
export type SpanAttributes = Readonly<Record<string, string | number>>;

export interface OpenSpan {
  set(name: string, value: string | number): void;
  /** It failed, with one stable word. */
  fail(word: string): void;
}

/** Creates spans. A host has it only if traces are enabled, so that otherwise nothing is loaded or run. */
export interface Tracing {
  /** Runs `work` in a span below the one in which it is called. */
  span<T>(name: string, attributes: SpanAttributes, work: (span: OpenSpan) => Promise<T>): Promise<T>;
  /**
   * Runs `work` in the span of a request.
   * @param traceparent the header of the client, whose trace goes on (www.w3.org/TR/trace-context §3.2).
   */
  request<T>(
    name: string,
    attributes: SpanAttributes,
    traceparent: string | null,
    work: (span: OpenSpan) => Promise<T>,
  ): Promise<T>;
  /** Sends the remaining spans. */
  stop(): Promise<void>;
}

/** A trace that a client has begun. */
interface RemoteParent {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags: number;
}

/** Parses a traceparent; undefined if it is invalid. */
export function parentOf(traceparent: string | null): RemoteParent | undefined {
  const form = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-|$)/;
  const [, traceId = '', spanId = '', flags = '', more] = form.exec(traceparent ?? '') ?? [];
  if (/^0*$/.test(traceId) || /^0*$/.test(spanId)) return undefined;
  // Only a later version may have more parts.
  if (more !== '' && traceparent?.startsWith('00')) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1 };
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Whether the usual variables ask for traces (opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables). */
export function asksForTraces(env: Environment): boolean {
  const of = (name: string) => env[name]?.trim() ?? '';
  if (of('OTEL_SDK_DISABLED').toLowerCase() === 'true') return false;
  if (of('OTEL_TRACES_EXPORTER').toLowerCase() === 'none') return false;
  return of('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') !== '' || of('OTEL_EXPORTER_OTLP_ENDPOINT') !== '';
}
