import type { Random } from '../../../test/verify/scale.ts';
import { comparison, durationComparison, timeComparison } from './query-comparison.ts';

/*
 * A second implementation of the query language, over arrays: a random query is created together with a function that selects the same
 * rows. It uses neither the parser, nor the table of fields, nor SQL.
 */

/** A test as the model sees it, with names instead of ids. */
export interface ModelTest {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  /** The texts of its steps. */
  readonly steps: readonly string[];
  /** From the top down; null: not in a section. */
  readonly section: readonly string[] | null;
  readonly priority: string | null;
  readonly automation: string | null;
  readonly squad: string | null;
  readonly labels: readonly string[];
  readonly createdBy: number;
  readonly updatedBy: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly deleted: boolean;
  readonly outcome: ModelOutcome | null;
  readonly runs: readonly number[];
  /** Its name in test tools; null: no pipeline reported it. */
  readonly key: string | null;
  /** Milliseconds of its last reported run. */
  readonly durationMs: number | null;
}

export interface ModelOutcome {
  readonly status: string;
  readonly at: number;
  readonly failed: number;
  readonly flips: number;
  readonly runs: number;
}

/** The names that queries may use, and the stopped clock. */
export interface ModelWorld {
  readonly now: number;
  readonly me: number;
  readonly people: readonly { readonly id: number; readonly email: string }[];
  readonly sections: readonly (readonly string[])[];
  readonly labels: readonly string[];
  readonly squads: readonly string[];
  readonly priorities: readonly string[];
  readonly automations: readonly string[];
  readonly runs: readonly number[];
  readonly ids: readonly number[];
}

export interface ModelQuery {
  readonly text: string;
  readonly fits: (test: ModelTest) => boolean;
}

export const modelWords = [
  'login',
  'Checkout',
  'pay',
  'refund',
  'a "quoted" text',
  'back\\slash',
  'Straße',
  '50%',
  'x_y',
];
const statuses = ['passed', 'failed', 'blocked', 'retest', 'untested'];

const quoted = (text: string) => `"${text.replace(/["\\]/g, '\\$&')}"`;
const shown = (random: Random, text: string) =>
  /^[\w.@-]+$/.test(text) && random.below(2) === 0 ? text : quoted(text);
const hasPart = (whole: string, part: string) => whole.toLowerCase().includes(part.toLowerCase());

/** One or two values, or `none`. */
function values<T>(random: Random, from: readonly T[], show: (value: T) => string, none: boolean) {
  const some = from.length === 0 ? [] : Array.from({ length: 1 + random.below(2) }, () => random.pick(from));
  const hasNone = none && (some.length === 0 || random.below(4) === 0);
  return { text: [...some.map(show), ...(hasNone ? ['none'] : [])].join(), some, hasNone };
}

const oneTerm = (random: Random, world: ModelWorld): ModelQuery => random.pick(terms)(random, world);

/** A field whose value is one of a list of names, or not set. */
const named =
  (
    field: string,
    from: (world: ModelWorld) => readonly string[],
    of: (test: ModelTest) => readonly string[],
  ) =>
  (random: Random, world: ModelWorld): ModelQuery => {
    const { text, some, hasNone } = values(random, from(world), (name) => shown(random, name), true);
    return {
      text: `${field}:${text}`,
      fits: (test) => (of(test).length === 0 ? hasNone : of(test).some((name) => some.includes(name))),
    };
  };

const list = <T>(value: T | null): readonly T[] => (value === null ? [] : [value]);

const person =
  (field: string, of: (test: ModelTest) => number | null, none: boolean) =>
  (random: Random, { people, me }: ModelWorld): ModelQuery => {
    const show = ({ id, email }: { id: number; email: string }) =>
      id === me && random.below(2) === 0 ? 'me' : random.below(2) === 0 ? String(id) : email.toUpperCase();
    const { text, some, hasNone } = values(random, people, show, none);
    return {
      text: `${field}:${text}`,
      fits: (test) => {
        const by = of(test);
        return by === null ? hasNone : some.some(({ id }) => id === by);
      },
    };
  };

const counted =
  (field: string, of: (test: ModelTest) => number) =>
  (random: Random): ModelQuery => {
    const [text, fits] = comparison(random, random.below(5));
    return { text: `${field}:${text}`, fits: (test) => fits(of(test)) };
  };

const timed =
  (field: string, of: (test: ModelTest) => number | null, none: boolean) =>
  (random: Random, { now }: ModelWorld): ModelQuery => {
    if (none && random.below(4) === 0) return { text: `${field}:none`, fits: (test) => of(test) === null };
    const [text, fits] = timeComparison(random, now);
    return {
      text: `${field}:${text}`,
      fits: (test) => {
        const at = of(test);
        return at !== null && fits(at);
      },
    };
  };

const filled: Readonly<Record<string, (test: ModelTest) => boolean>> = {
  steps: ({ steps }) => steps.length > 0,
  description: ({ description }) => description !== '',
  section: ({ section }) => section !== null,
  label: ({ labels }) => labels.length > 0,
  squad: ({ squad }) => squad !== null,
};

const terms: ReadonlyArray<(random: Random, world: ModelWorld) => ModelQuery> = [
  (random) => {
    const word = random.pick(modelWords);
    return {
      text: shown(random, word),
      fits: ({ name, description, steps, id }) =>
        [name, description, ...steps].some((text) => hasPart(text, word)) || String(id) === word,
    };
  },
  (random) => {
    const word = random.pick(modelWords);
    return { text: `name:${shown(random, word)}`, fits: ({ name }) => hasPart(name, word) };
  },
  (random) => {
    const word = random.pick(modelWords);
    return { text: `key:${shown(random, word)}`, fits: ({ key }) => key !== null && hasPart(key, word) };
  },
  (random) => {
    if (random.below(5) === 0)
      return { text: 'duration:none', fits: ({ durationMs }) => durationMs === null };
    const [text, compare] = durationComparison(random);
    return {
      text: `duration:${text}`,
      fits: ({ durationMs }) => durationMs !== null && compare(durationMs),
    };
  },
  (random, { ids }) => {
    const [text, fits] = comparison(random, random.pick(ids));
    return { text: `id:${text}`, fits: ({ id }) => fits(id) };
  },
  (random, { sections }) => {
    const path = random.pick(sections);
    const whole = random.below(2) === 0;
    const alone = random.below(3) === 0;
    const name = whole ? path.join(' > ') : (path.at(-1) ?? '');
    const wanted = whole ? path : path.slice(-1);
    return {
      text: `section:${alone ? '=' : ''}${shown(random, name)}`,
      fits: ({ section }) =>
        section !== null &&
        section.some(
          (_, end) =>
            (!alone || end === section.length - 1) &&
            wanted.every((part, at) => section[end - wanted.length + 1 + at] === part),
        ),
    };
  },
  () => ({ text: 'section:none', fits: ({ section }) => section === null }),
  named(
    'priority',
    ({ priorities }) => priorities,
    ({ priority }) => list(priority),
  ),
  named(
    'automation',
    ({ automations }) => automations,
    ({ automation }) => list(automation),
  ),
  named(
    'squad',
    ({ squads }) => squads,
    ({ squad }) => list(squad),
  ),
  named(
    'label',
    ({ labels }) => labels,
    ({ labels }) => labels,
  ),
  person('created-by', ({ createdBy }) => createdBy, false),
  person('updated-by', ({ updatedBy }) => updatedBy, true),
  timed('created', ({ createdAt }) => createdAt, false),
  timed('updated', ({ updatedAt }) => updatedAt, false),
  timed('last-run', ({ outcome }) => outcome?.at ?? null, true),
  counted('failed', ({ outcome }) => outcome?.failed ?? 0),
  counted('runs', ({ outcome }) => outcome?.runs ?? 0),
  (random) => {
    const { text, some, hasNone } = values(random, statuses, (status) => status, true);
    return {
      text: `last:${text}`,
      fits: ({ outcome }) => (outcome === null ? hasNone : some.includes(outcome.status)),
    };
  },
  (random) => {
    const yes = random.below(2) === 0;
    return {
      text: `flaky:${yes ? 'yes' : 'NO'}`,
      fits: ({ outcome }) => (outcome !== null && outcome.failed > 0 && outcome.flips >= 3) === yes,
    };
  },
  (random) => {
    const what = random.pick(Object.keys(filled));
    return { text: `has:${what}`, fits: (test) => filled[what]?.(test) === true };
  },
  (random, { runs }) => {
    const run = random.pick(runs);
    const isIn = random.below(2) === 0;
    return {
      text: `${isIn ? '' : 'not-'}in-run:${run}`,
      fits: (test) => test.runs.includes(run) === isIn,
    };
  },
];

/** A random query of bounded depth, in a random notation. */
export function modelQuery(random: Random, world: ModelWorld, depth = 3): ModelQuery {
  const kind = depth === 0 ? 3 : random.below(6);
  if (kind > 2) return oneTerm(random, world);
  if (kind === 2) {
    const { text, fits } = modelQuery(random, world, depth - 1);
    return { text: `${random.pick(['NOT ', '-'])}(${text})`, fits: (test) => !fits(test) };
  }
  const parts = Array.from({ length: 2 + random.below(2) }, () => modelQuery(random, world, depth - 1));
  const text = (join: string) => parts.map((part) => `(${part.text})`).join(join);
  return kind === 0
    ? { text: text(' OR '), fits: (test) => parts.some(({ fits }) => fits(test)) }
    : { text: text(random.pick([' ', ' AND '])), fits: (test) => parts.every(({ fits }) => fits(test)) };
}
