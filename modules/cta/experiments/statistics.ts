/*
 * The statistics of an experiment with a fixed horizon. statistics-cases.json has what SciPy and mpmath compute for 1,000 tables; the test
 * requires agreement to 1e-9.
 */

/** Users of an arm, and those of them who converted. */
export interface ArmCounts {
  readonly users: number;
  readonly conversions: number;
}

/** The quantile of the normal distribution at 97.5 %: two-sided intervals of 95 %, and tests at 5 %. */
const z975 = 1.959963984540054;
/** The quantile at 80 %: the power of a planned experiment. */
const z80 = 0.8416212335729143;

const rateOf = ({ users, conversions }: ArmCounts): number => (users === 0 ? 0 : conversions / users);

/**
 * The 95 % interval of the difference of two rates, `arm` minus `baseline`: Newcombe's method 10 (1998), from the two Wilson intervals
 * without continuity correction. It stays within -1 and 1 and is right for small counts, unlike that of Wald.
 */
export function differenceInterval(
  arm: ArmCounts,
  baseline: ArmCounts,
): readonly [low: number, high: number] {
  const [p1, p2] = [rateOf(arm), rateOf(baseline)];
  const [low1, high1] = wilson(arm);
  const [low2, high2] = wilson(baseline);
  const difference = p1 - p2;
  return [difference - Math.hypot(p1 - low1, high2 - p2), difference + Math.hypot(high1 - p1, p2 - low2)];
}

/** Wilson's score interval of a rate (1927). */
function wilson({ users, conversions }: ArmCounts): readonly [low: number, high: number] {
  if (users === 0) return [0, 1];
  const square = z975 * z975;
  const middle = (conversions + square / 2) / (users + square);
  const spread =
    (z975 / (users + square)) * Math.sqrt((conversions * (users - conversions)) / users + square / 4);
  return [middle - spread, middle + spread];
}

/**
 * The two-sided p of the hypothesis that both rates are equal: the z-test with the pooled rate, without continuity correction; 1 when nobody
 * or everybody converted.
 */
export function pooledP(arm: ArmCounts, baseline: ArmCounts): number {
  const users = arm.users + baseline.users;
  const pooled = users === 0 ? 0 : (arm.conversions + baseline.conversions) / users;
  const variance = pooled * (1 - pooled) * (1 / arm.users + 1 / baseline.users);
  if (!(variance > 0) || !Number.isFinite(variance)) return 1;
  return complementaryError(Math.abs(rateOf(arm) - rateOf(baseline)) / Math.sqrt(2 * variance));
}

/**
 * The p of the sample-ratio check: Pearson's chi-squared test of the users of each arm against their weights. Small: the arms were not filled
 * as planned, so no figure of the experiment can be trusted.
 */
export function sampleRatioP(users: readonly number[], weights: readonly number[]): number {
  const total = users.reduce((sum, count) => sum + count, 0);
  const weight = weights.reduce((sum, one) => sum + one, 0);
  if (total === 0 || users.length < 2) return 1;
  let square = 0;
  for (const [index, count] of users.entries()) {
    const expected = (total * (weights[index] ?? 0)) / weight;
    if (expected === 0) return count === 0 ? 1 : 0;
    square += (count - expected) ** 2 / expected;
  }
  return upperGamma((users.length - 1) / 2, square / 2);
}

/**
 * Users that each arm needs to find an absolute difference of `effect` from `rate`, at 5 % two-sided with a power of 80 % (Fleiss, without
 * continuity correction), rounded up; null if the changed rate is no rate.
 */
export function plannedSampleSize(rate: number, effect: number): number | null {
  const changed = rate + effect;
  if (!(rate >= 0 && rate <= 1 && changed >= 0 && changed <= 1) || effect === 0) return null;
  const middle = (rate + changed) / 2;
  const root =
    z975 * Math.sqrt(2 * middle * (1 - middle)) +
    z80 * Math.sqrt(rate * (1 - rate) + changed * (1 - changed));
  return Math.ceil((root / effect) ** 2);
}

/** erfc(x) for x >= 0: the series of erf below 2, the continued fraction above; both to the last digits of a double. */
function complementaryError(x: number): number {
  return x < 2 ? 1 - lowerGamma(0.5, x * x) : continuedGamma(0.5, x * x);
}

/** The regularized upper incomplete gamma function Q(a, x). */
const upperGamma = (a: number, x: number): number =>
  x <= 0 ? 1 : x < a + 1 ? 1 - lowerGamma(a, x) : continuedGamma(a, x);

/** P(a, x) by its series (Abramowitz and Stegun 6.5.29). */
function lowerGamma(a: number, x: number): number {
  if (x <= 0) return 0;
  let term = 1 / a;
  let sum = term;
  for (let n = 1; n < 1_000 && Math.abs(term) > Math.abs(sum) * Number.EPSILON; n++) {
    term *= x / (a + n);
    sum += term;
  }
  return sum * front(a, x);
}

/** Q(a, x) by Lentz's continued fraction (Abramowitz and Stegun 6.5.31). */
function continuedGamma(a: number, x: number): number {
  const tiny = Number.MIN_VALUE / Number.EPSILON;
  let b = x + 1 - a;
  let c = 1 / tiny;
  let d = 1 / b;
  let fraction = d;
  for (let n = 1; n < 1_000; n++) {
    const term = -n * (n - a);
    b += 2;
    d = 1 / (Math.abs(term * d + b) < tiny ? tiny : term * d + b);
    c = Math.abs(b + term / c) < tiny ? tiny : b + term / c;
    fraction *= d * c;
    if (Math.abs(d * c - 1) < Number.EPSILON) break;
  }
  return fraction * front(a, x);
}

/** x^a e^-x / Γ(a), where 2a is a whole number: the degrees of freedom. */
const front = (a: number, x: number): number => Math.exp(a * Math.log(x) - x - logGammaOfHalf(a));

/** ln Γ(a) for multiples of a half: the product down to Γ(1) = 1 or Γ(1/2) = √π. */
function logGammaOfHalf(a: number): number {
  let sum = 0;
  let rest = a;
  for (; rest > 1; rest--) sum += Math.log(rest - 1);
  return rest === 0.5 ? sum + Math.log(Math.PI) / 2 : sum;
}
