/*
 * The part of PromQL that examples/monitoring uses, applied to the scrapes of a test, because Prometheus itself cannot be installed by npm.
 * prometheus.io/docs/prometheus/latest/querying defines the language. The examples were compared once with Prometheus
 * (docs/decisions/monitoring.md).
 */
export type Labels = Readonly<Record<string, string>>;

export interface Sample {
  readonly labels: Labels;
  readonly value: number;
}

/** The contents of one scrape. */
export interface Scrape {
  /** Seconds. */
  readonly at: number;
  /** By `__name__` and the other labels. */
  readonly samples: readonly Sample[];
}

type Matcher = (labels: Labels) => boolean;

export type Expression =
  | { readonly kind: 'number'; readonly value: number }
  | {
      readonly kind: 'selector';
      readonly name: string;
      readonly labels: readonly string[];
      readonly matches: Matcher;
    }
  | { readonly kind: 'call'; readonly name: string; readonly given: readonly Expression[] }
  | {
      readonly kind: 'aggregate';
      readonly name: string;
      readonly by: readonly string[];
      readonly of: Expression;
    }
  | {
      readonly kind: 'binary';
      readonly operator: string;
      readonly left: Expression;
      readonly right: Expression;
    };

const token = /\s*(\d+(?:\.\d+)?(?:e\d+)?|[a-zA-Z_:][\w:]*|"[^"]*"|=~|!~|!=|==|>=|<=|[-+*/<>=(){},[\]])/y;

function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  token.lastIndex = 0;
  while (token.lastIndex < text.trimEnd().length) {
    const at = token.lastIndex;
    const found = token.exec(text)?.[1];
    if (found === undefined) throw new Error(`not understood at ${at}: ${text.slice(at, at + 20)}`);
    tokens.push(found);
  }
  return tokens;
}

const aggregates = new Set(['sum', 'min', 'max']);
const levels: readonly (readonly string[])[] = [
  ['or'],
  ['==', '!=', '>', '<', '>=', '<='],
  ['+', '-'],
  ['*', '/'],
];

/** @throws Error for an expression outside this part of the language. */
export function parse(text: string): Expression {
  const tokens = tokensOf(text);
  let at = 0;
  const next = () => tokens[at++] ?? '';
  const skip = (wanted: string) => {
    const found = next();
    if (found !== wanted) throw new Error(`"${wanted}" is missing before "${found}" in ${text}`);
  };
  const listOf = <T>(end: string, item: () => T): T[] => {
    const items: T[] = [];
    while (tokens[at] !== end) {
      items.push(item());
      if (tokens[at] === ',') at++;
    }
    skip(end);
    return items;
  };
  const binary = (level: number): Expression => {
    const operators = levels[level];
    if (!operators) return operand();
    let left = binary(level + 1);
    while (operators.includes(tokens[at] ?? ''))
      left = { kind: 'binary', operator: next(), left, right: binary(level + 1) };
    return left;
  };
  const matcher = () => {
    const [label, operator, quoted] = [next(), next(), next()];
    const wanted = quoted.slice(1, -1);
    const pattern = new RegExp(`^(?:${wanted})$`);
    const test: Matcher = (labels) => {
      const given = labels[label] ?? '';
      return (operator.endsWith('~') ? pattern.test(given) : given === wanted) !== operator.startsWith('!');
    };
    return { label, test };
  };
  const operand = (): Expression => {
    const word = next();
    if (word === '(') {
      const inner = binary(0);
      skip(')');
      return inner;
    }
    if (/^\d/.test(word)) return { kind: 'number', value: Number(word) };
    if (aggregates.has(word)) {
      let by: string[] = [];
      if (tokens[at] === 'by') {
        at++;
        skip('(');
        by = listOf(')', next);
      }
      skip('(');
      const of = binary(0);
      skip(')');
      return { kind: 'aggregate', name: word, by, of };
    }
    if (tokens[at] === '(') {
      at++;
      return { kind: 'call', name: word, given: listOf(')', () => binary(0)) };
    }
    const matchers = tokens[at] === '{' ? (at++, listOf('}', matcher)) : [];
    // The range is ignored: the scrapes of a test are all within it.
    if (tokens[at] === '[') {
      at++;
      listOf(']', next);
    }
    return {
      kind: 'selector',
      name: word,
      labels: matchers.map(({ label }) => label),
      matches: (labels) => labels['__name__'] === word && matchers.every(({ test }) => test(labels)),
    };
  };
  const whole = binary(0);
  if (at < tokens.length) throw new Error(`"${tokens[at]}" is too much in ${text}`);
  return whole;
}

/** Every selector of an expression. */
export function selectorsOf(
  expression: Expression,
): ReadonlyArray<Extract<Expression, { kind: 'selector' }>> {
  switch (expression.kind) {
    case 'number':
      return [];
    case 'selector':
      return [expression];
    case 'call':
      return expression.given.flatMap(selectorsOf);
    case 'aggregate':
      return selectorsOf(expression.of);
    case 'binary':
      return [...selectorsOf(expression.left), ...selectorsOf(expression.right)];
  }
}
