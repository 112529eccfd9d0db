import { selectorsOf, type Expression, type Labels, type Sample, type Scrape } from './promql.ts';

const keyOf = (labels: Labels, names: readonly string[] = Object.keys(labels)) =>
  JSON.stringify(names.toSorted().map((name) => [name, labels[name] ?? '']));

const nameless = (labels: Labels): Labels =>
  Object.fromEntries(Object.entries(labels).filter(([name]) => name !== '__name__'));

const only = (labels: Labels, names: readonly string[]): Labels =>
  Object.fromEntries(names.flatMap((name) => (labels[name] === undefined ? [] : [[name, labels[name]]])));

/** The resulting samples of an expression after these scrapes. An alert fires for each. */
export function valueOf(expression: Expression, scrapes: readonly Scrape[]): readonly Sample[] {
  switch (expression.kind) {
    case 'number':
      return [{ labels: {}, value: expression.value }];
    case 'selector':
      return (scrapes.at(-1)?.samples ?? []).filter(({ labels }) => expression.matches(labels));
    case 'aggregate': {
      const groups = Map.groupBy(valueOf(expression.of, scrapes), ({ labels }) =>
        keyOf(labels, expression.by),
      );
      return [...groups.values()].map((group) => ({
        labels: only(group[0]?.labels ?? {}, expression.by),
        value: aggregated(
          expression.name,
          group.map(({ value }) => value),
        ),
      }));
    }
    case 'call':
      return called(expression.name, expression.given, scrapes);
    case 'binary':
      return combined(expression, scrapes);
  }
}

function aggregated(name: string, values: readonly number[]): number {
  if (name === 'sum') return values.reduce((sum, value) => sum + value);
  return name === 'min' ? Math.min(...values) : Math.max(...values);
}

function called(name: string, given: readonly Expression[], scrapes: readonly Scrape[]): readonly Sample[] {
  const [first, second] = given;
  if (name === 'rate' && first) return rates(first, scrapes);
  if (name === 'histogram_quantile' && first && second)
    return quantiles(valueOf(first, scrapes)[0]?.value ?? NaN, valueOf(second, scrapes));
  throw new Error(`the function ${name} is not known here`);
}

/** The increase per second from the first scrape to the last. As in Prometheus, a series that was not in the first has no rate. */
function rates(expression: Expression, scrapes: readonly Scrape[]): readonly Sample[] {
  const [selector] = selectorsOf(expression);
  const [first, last] = [scrapes[0], scrapes.at(-1)];
  if (!selector || !first || !last || first === last) return [];
  const before = new Map(first.samples.map(({ labels, value }) => [keyOf(labels), value]));
  return last.samples
    .filter(({ labels }) => selector.matches(labels) && before.has(keyOf(labels)))
    .map(({ labels, value }) => ({
      labels: nameless(labels),
      value: (value - (before.get(keyOf(labels)) ?? 0)) / (last.at - first.at),
    }));
}

/** Interpolates within the bucket, like Prometheus; above the highest bound it returns that bound. */
function quantiles(quantile: number, samples: readonly Sample[]): readonly Sample[] {
  const rest = (labels: Labels) => Object.keys(labels).filter((name) => name !== 'le');
  const groups = Map.groupBy(samples, ({ labels }) => keyOf(labels, rest(labels)));
  return [...groups.values()].map((group) => {
    const bound = ({ labels }: Sample) => (labels['le'] === '+Inf' ? Infinity : Number(labels['le']));
    const buckets = group.toSorted((a, b) => bound(a) - bound(b));
    const rank = quantile * (buckets.at(-1)?.value ?? 0);
    const at = buckets.findIndex(({ value }) => value >= rank);
    const [bucket, below] = [buckets[at], buckets[at - 1]];
    const labels = only(group[0]?.labels ?? {}, rest(group[0]?.labels ?? {}));
    if (!bucket || rank === 0) return { labels, value: NaN };
    if (bound(bucket) === Infinity) return { labels, value: below ? bound(below) : NaN };
    const [from, count] = below ? [bound(below), below.value] : [0, 0];
    return { labels, value: from + ((bound(bucket) - from) * (rank - count)) / (bucket.value - count) };
  });
}

const compare: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  '==': (a, b) => a === b,
  '!=': (a, b) => a !== b,
  '>': (a, b) => a > b,
  '<': (a, b) => a < b,
  '>=': (a, b) => a >= b,
  '<=': (a, b) => a <= b,
};
const compute: Readonly<Record<string, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
};

/** A number on the right applies to every sample on the left; otherwise samples with the same labels are combined. */
function combined(
  { operator, left, right }: Extract<Expression, { kind: 'binary' }>,
  scrapes: readonly Scrape[],
): readonly Sample[] {
  const [ours, theirs] = [valueOf(left, scrapes), valueOf(right, scrapes)];
  if (operator === 'or') {
    const known = new Set(ours.map(({ labels }) => keyOf(nameless(labels))));
    return [...ours, ...theirs.filter(({ labels }) => !known.has(keyOf(nameless(labels))))];
  }
  const byLabels = new Map(theirs.map((sample) => [keyOf(nameless(sample.labels)), sample]));
  return ours.flatMap((sample) => {
    const other = right.kind === 'number' ? right : byLabels.get(keyOf(nameless(sample.labels)));
    if (!other) return [];
    if (compare[operator]) return compare[operator](sample.value, other.value) ? [sample] : [];
    const value = compute[operator]?.(sample.value, other.value) ?? NaN;
    return [{ labels: nameless(sample.labels), value }];
  });
}
