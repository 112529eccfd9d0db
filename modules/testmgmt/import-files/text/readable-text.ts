const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
};

const tag = /<(\/?)([a-z][a-z0-9]{0,15})\b([^<>]*)>/gi;
const blocks = new Set([
  'p',
  'div',
  'tr',
  'ul',
  'ol',
  'table',
  'pre',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'blockquote',
]);
const inline = new Set([
  'br',
  'li',
  'td',
  'th',
  'thead',
  'tbody',
  'span',
  'strong',
  'b',
  'em',
  'i',
  'u',
  's',
  'a',
  'code',
  'img',
  'sub',
  'sup',
  'font',
]);

/** A longer text is more than a test may have, so that the check refuses it as it is. */
const longest = 100_000;

/**
 * A text of a product that stores HTML as plain text: paragraphs and items become lines, other tags are left out. A text without tags of
 * HTML stays as it is.
 */
export function readableText(text: string): string {
  if (text.length > longest) return text;
  let isHtml = false;
  const plain = text
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(tag, (whole, slash: string, given: string, attributes: string) => {
      const name = given.toLowerCase();
      const isTag = (blocks.has(name) || inline.has(name)) && /^\s*\/?$|=/.test(attributes);
      if (!isTag) return whole;
      isHtml = true;
      return markOf(name, slash === '/');
    });
  if (!isHtml) return text;
  return withoutEntities(plain)
    .split('\n')
    .map((line) => line.trim())
    .filter((line, at, all) => line !== '' || (all[at - 1] ?? '') !== '')
    .join('\n')
    .trim();
}

function markOf(name: string, isEnd: boolean): string {
  if (name === 'br') return '\n';
  if (name === 'li') return isEnd ? '' : '\n- ';
  if (name === 'td' || name === 'th') return isEnd ? ' | ' : '';
  return blocks.has(name) ? '\n' : '';
}

const withoutEntities = (text: string): string =>
  text.replaceAll(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}));/gi,
    (whole, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return entities[name.toLowerCase()] ?? whole;
      const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
      return code > 0x10ffff || code === 0 || (code >= 0xd800 && code <= 0xdfff)
        ? whole
        : String.fromCodePoint(code);
    },
  );
