/*
 * The part of Go's template language that examples/kubernetes/chart uses: values, if, with, define and calls. Whatever else is in a template
 * is refused, so a chart that this reads is one that Helm reads the same way. There is no Helm on the registries that the tests install from.
 */
export type TemplateValue =
  | string
  | number
  | boolean
  | null
  | readonly TemplateValue[]
  | { readonly [key: string]: TemplateValue };

export type TemplateTerm =
  | { readonly kind: 'literal'; readonly value: string | number }
  | { readonly kind: 'path'; readonly keys: readonly string[] }
  | { readonly kind: 'call'; readonly name: string; readonly given: readonly TemplateTerm[] };

export type TemplateNode =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'print'; readonly term: TemplateTerm }
  | {
      readonly kind: 'if' | 'with';
      readonly term: TemplateTerm;
      readonly body: readonly TemplateNode[];
      readonly otherwise: readonly TemplateNode[];
    };

export interface ParsedTemplate {
  readonly nodes: readonly TemplateNode[];
  readonly defined: ReadonlyMap<string, readonly TemplateNode[]>;
}

type Piece = { readonly text: string } | { readonly action: string };

/** The text and the actions of a template. `{{-` takes the white space before it away, `-}}` what is behind it. */
function piecesOf(source: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let rest = source;
  let trims = false;
  for (;;) {
    const start = rest.indexOf('{{');
    const text = trims
      ? rest.slice(0, start < 0 ? undefined : start).trimStart()
      : rest.slice(0, start < 0 ? undefined : start);
    if (start < 0) return [...pieces, { text }];
    const end = rest.indexOf('}}', start);
    if (end < 0) throw new Error(`"{{" without "}}": ${rest.slice(start, start + 40)}`);
    const inner = rest.slice(start + 2, end);
    const before = /^-\s/.test(inner);
    trims = /\s-$/.test(inner);
    pieces.push({ text: before ? text.trimEnd() : text });
    const action = inner.slice(before ? 1 : 0, trims ? -1 : undefined).trim();
    if (!/^\/\*[^]*\*\/$/.test(action)) pieces.push({ action });
    rest = rest.slice(end + 2);
  }
}

const tokenPattern = /"(?:[^"\\]|\\.)*"|\d+|\.(?:[A-Za-z]\w*(?:\.[A-Za-z]\w*)*)?|[A-Za-z]\w*|[()|]|\S/g;

class TermReader {
  readonly #tokens: string[];

  constructor(readonly source: string) {
    this.#tokens = source.match(tokenPattern) ?? [];
  }

  whole(): TemplateTerm {
    const term = this.#pipeline();
    if (this.#tokens.length > 0) throw new Error(`unexpected "${this.#tokens[0]}" in {{ ${this.source} }}`);
    return term;
  }

  #pipeline(): TemplateTerm {
    let term = this.#command();
    while (this.#tokens[0] === '|') {
      this.#tokens.shift();
      const next = this.#command();
      if (next.kind !== 'call') throw new Error(`a "|" without a function in {{ ${this.source} }}`);
      term = { ...next, given: [...next.given, term] };
    }
    return term;
  }

  #command(): TemplateTerm {
    const first = this.#tokens[0] ?? '';
    if (!/^[A-Za-z]/.test(first)) return this.#operand();
    this.#tokens.shift();
    const given: TemplateTerm[] = [];
    while (this.#tokens.length > 0 && !/^[)|]$/.test(this.#tokens[0] ?? '')) given.push(this.#operand());
    return { kind: 'call', name: first, given };
  }

  #operand(): TemplateTerm {
    const token = this.#tokens.shift() ?? '';
    if (token === '(') {
      const term = this.#pipeline();
      if (this.#tokens.shift() !== ')') throw new Error(`"(" without ")" in {{ ${this.source} }}`);
      return term;
    }
    if (token.startsWith('"')) return { kind: 'literal', value: JSON.parse(token) as string };
    if (/^\d/.test(token)) return { kind: 'literal', value: Number(token) };
    if (token.startsWith('.')) return { kind: 'path', keys: token.split('.').filter((key) => key !== '') };
    throw new Error(`this renderer does not know "${token}" in {{ ${this.source} }}`);
  }
}

/** @throws for every action that is not in the subset. */
export function parseTemplate(source: string): ParsedTemplate {
  const pieces = [...piecesOf(source)];
  const defined = new Map<string, readonly TemplateNode[]>();

  /** Up to the `end` or `else` of the block, which is returned with what is in it. */
  function block(opened: string): { readonly nodes: readonly TemplateNode[]; readonly closing: string } {
    const nodes: TemplateNode[] = [];
    for (let piece = pieces.shift(); piece; piece = pieces.shift()) {
      if ('text' in piece) {
        if (piece.text !== '') nodes.push({ kind: 'text', text: piece.text });
        continue;
      }
      const { action } = piece;
      const word = /^[a-z]+/.exec(action)?.[0] ?? '';
      const rest = action.slice(word.length).trim();
      if (word === 'end' || word === 'else') {
        if (opened === '') throw new Error(`{{ ${action} }} closes nothing`);
        return { nodes, closing: action };
      }
      if (word === 'define') {
        const name = new TermReader(rest).whole();
        if (opened !== '' || name.kind !== 'literal') throw new Error(`{{ ${action} }} is out of place`);
        defined.set(String(name.value), ended(action));
      } else if (word === 'if' || word === 'with') nodes.push(branch(word, rest));
      else if (/^(range|block|template|break|continue)$/.test(word)) {
        throw new Error(`this renderer does not know {{ ${word} }}`);
      } else nodes.push({ kind: 'print', term: new TermReader(action).whole() });
    }
    if (opened !== '') throw new Error(`{{ ${opened} }} has no end`);
    return { nodes, closing: '' };
  }

  function ended(opened: string): readonly TemplateNode[] {
    const { nodes, closing } = block(opened);
    if (closing !== 'end') throw new Error(`{{ ${closing} }} in {{ ${opened} }}`);
    return nodes;
  }

  function branch(kind: 'if' | 'with', condition: string): TemplateNode {
    const term = new TermReader(condition).whole();
    const { nodes, closing } = block(`${kind} ${condition}`);
    if (closing === 'end') return { kind, term, body: nodes, otherwise: [] };
    if (closing === 'else') return { kind, term, body: nodes, otherwise: ended(closing) };
    const next = /^else if (.+)$/.exec(closing)?.[1];
    if (next === undefined) throw new Error(`this renderer does not know {{ ${closing} }}`);
    return { kind, term, body: nodes, otherwise: [branch('if', next)] };
  }

  return { nodes: block('').nodes, defined };
}
