import { counter, type MetricTable } from '../../../core/metrics/metric.ts';

/** The metrics of Area B. */
export const ctaMetrics = {
  launches: counter(
    'trivet_launches_total',
    'App launches that were admitted; "gated" is a client of an old version, which gets the empty response.',
    ['outcome'],
  ),
  deltas: counter('trivet_snapshot_deltas_total', 'Snapshot deltas that were admitted, as launches.', [
    'outcome',
  ]),
  stateDrops: counter(
    'trivet_cta_state_drops_total',
    'What was dropped from the state that apps send, by reason: limits drop and never refuse.',
    ['reason'],
  ),
  events: counter(
    'trivet_cta_events_total',
    'Events of CTAs: stored ("accepted"), known already ("duplicate"), or not stored ("dropped").',
    ['outcome'],
  ),
} as const satisfies MetricTable;
