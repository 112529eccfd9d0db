import { AsyncLocalStorage } from 'node:async_hooks';
import {
  diag,
  DiagLogLevel,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type Span,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type Sampler,
} from '@opentelemetry/sdk-trace';
import { systemClock } from '../base/clock.ts';
import { UsageError } from '../base/errors.ts';
import { codeOf } from '../base/foreign-errors.ts';
import { oncePerMinute } from '../base/log-interval.ts';
import type { Log } from '../base/log.ts';
import { version } from '../base/version.ts';
import { parentOf, type OpenSpan, type SpanAttributes, type Tracing } from './tracing.ts';

/** How long a stop waits for the collector. What one that hangs has not taken by then is lost. */
const stopMs = 3_000;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Spans that are sent as OTLP over HTTP (JSON). The exporter reads the address, the headers and the timeout from the environment, the
 * resource its name and attributes.
 * @throws UsageError for a sampler that does not exist.
 */
export function openTracing(env: Environment, log: Log): Tracing {
  const notSent = logFailures(log);
  const protocol = env['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'] ?? env['OTEL_EXPORTER_OTLP_PROTOCOL'];
  if (protocol !== undefined && protocol !== 'http/json')
    log.warn('traces_protocol', {
      remedy: `Traces are sent as http/json, not as ${protocol.slice(0, 20)}. A collector takes it at its port 4318.`,
    });
  const provider = new TracerProvider({
    sampler: samplerOf(env),
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'trivet', 'service.version': version }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: new OTLPTraceExporter(),
        scheduledDelayMillis: Number(env['OTEL_BSP_SCHEDULE_DELAY'] ?? 5_000),
      }),
    ],
  });
  const tracer = provider.getTracer('trivet', version);
  const present = new AsyncLocalStorage<Context>();

  const within = async <T>(span: Span, above: Context, work: (span: OpenSpan) => Promise<T>): Promise<T> => {
    const open: OpenSpan = {
      set: (name, value) => void span.setAttribute(name, value),
      fail: (word) => {
        span.setAttribute('error.type', word);
        span.setStatus({ code: SpanStatusCode.ERROR });
      },
    };
    try {
      return await present.run(trace.setSpan(above, span), () => work(open));
    } finally {
      span.end();
    }
  };

  return {
    span: (name, attributes: SpanAttributes, work) => {
      const above = present.getStore() ?? ROOT_CONTEXT;
      return within(tracer.startSpan(name, { attributes }, above), above, work);
    },
    request: (name, attributes, traceparent, work) => {
      const parent = parentOf(traceparent);
      const above = parent ? trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true }) : ROOT_CONTEXT;
      return within(tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, above), above, work);
    },
    stop: async () => {
      // A timer that is left would keep the process from ending.
      const done = new AbortController();
      const ended = provider
        .shutdown()
        .catch(() => {})
        .then(() => true);
      const late = systemClock.wait(stopMs, done.signal).then(() => false);
      // The exporter tries again for longer, and would say so only then.
      if (!(await Promise.race([ended, late]))) notSent();
      done.abort();
    },
  };
}

/**
 * Errors of the exporter may contain the address and its headers, so only the failure is logged.
 * @returns logs a failure that the exporter has not reported.
 */
function logFailures(log: Log): (code?: string) => void {
  const sayOnce = oncePerMinute();
  const notSent = (code?: string) =>
    sayOnce('traces', () => {
      const remedy =
        'Check that a collector listens at OTEL_EXPORTER_OTLP_ENDPOINT and takes OTLP over HTTP.';
      log.warn('traces_not_sent', { code, remedy });
    });
  const failed = (_message: string, ...details: unknown[]) =>
    notSent(details.map(codeOf).find((code) => code !== undefined));
  const nothing = () => {};
  diag.setLogger(
    { error: failed, warn: failed, info: nothing, debug: nothing, verbose: nothing },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  return notSent;
}

function samplerOf(env: Environment): Sampler {
  const name = env['OTEL_TRACES_SAMPLER']?.trim() || 'parentbased_always_on';
  const root = rootSampler(name.replace(/^parentbased_/, ''), env['OTEL_TRACES_SAMPLER_ARG']);
  return name.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}

function rootSampler(name: string, argument: string | undefined): Sampler {
  switch (name) {
    case 'always_on':
      return new AlwaysOnSampler();
    case 'always_off':
      return new AlwaysOffSampler();
    case 'traceidratio': {
      const ratio = Number(argument ?? 1);
      if (ratio >= 0 && ratio <= 1) return new TraceIdRatioBasedSampler(ratio);
      throw new UsageError('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1.');
    }
    default:
      throw new UsageError(
        'OTEL_TRACES_SAMPLER must be always_on, always_off or traceidratio, or one of them after parentbased_.',
      );
  }
}
