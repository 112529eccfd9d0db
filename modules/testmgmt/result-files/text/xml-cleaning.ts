/*
 * Prepares the text of a report for a strict XML parser, chunk by chunk. Real reports of nine tools are invalid XML only because of the
 * tested program's output: raw control characters, references to them (`&#27;`) and a bare `]]>`. These are made harmless. Constructs that
 * only an attack or an XML editor writes are refused before the parser sees them: a document type with a subset or an external reference,
 * and entities that XML does not define.
 */

/** Most characters of one comment, processing instruction or document type. */
const specialLimit = 1_048_576;

/** The cleaned form of a chunk. With a fault, only the text before it. */
interface CleanedText {
  readonly text: string;
  readonly fault?: string;
}

type Mode = 'ordinary' | 'cdata' | 'comment' | 'instruction' | 'doctype';

const ends = { cdata: ']]>', comment: '-->', instruction: '?>', doctype: '>' } as const;

export class XmlCleaning {
  #mode: Mode = 'ordinary';
  /**
   * The end of a chunk that may be the start of a delimiter, of a CR LF or of a character of two units: {@link flush} is written before the
   * next chunk, and would part them.
   */
  #held = '';
  #specialLength = 0;
  /** What is read of a document type. It is judged whole: the word SYSTEM may be in two chunks. */
  #doctype = '';
  #lastAngle: '<' | '>' = '>';

  /** Text to write to the parser so that it reports the text read so far, or '' outside text. */
  get flush(): string {
    if (this.#mode === 'cdata') return ']]><![CDATA[';
    return this.#mode === 'ordinary' && this.#lastAngle === '>' ? '<!---->' : '';
  }

  take(chunk: string, isLast: boolean): CleanedText {
    let text = this.#held + chunk;
    this.#held = '';
    if (!isLast) {
      const tail =
        /(?:<[^>]{0,8}|&[^;]{0,11}|\]{1,2}|-{1,2}|\?|[\r\ud800-\udbff])$/.exec(text.slice(-12))?.[0] ?? '';
      this.#held = tail;
      text = text.slice(0, text.length - tail.length);
    }
    text = withoutControls(text);
    let cleaned = '';
    let at = 0;
    while (at < text.length) {
      if (this.#mode === 'ordinary') {
        special.lastIndex = at;
        const found = special.exec(text);
        const end = found?.index ?? text.length;
        const part = text.slice(at, end);
        const wrong = part.includes('&') ? otherEntity.exec(part) : null;
        if (wrong) {
          return { text: cleaned + part.slice(0, wrong.index), fault: entityFault(part.slice(wrong.index)) };
        }
        cleaned += part.includes(']]>') ? part.replaceAll(']]>', ']]&gt;') : part;
        const [open, close] = [part.lastIndexOf('<'), part.lastIndexOf('>')];
        if (open !== close) this.#lastAngle = open > close ? '<' : '>';
        at = end;
        if (found) {
          this.#mode = modes[found[0]] ?? 'doctype';
          this.#specialLength = 0;
          cleaned += found[0];
          at += found[0].length;
        }
        continue;
      }
      const end = text.indexOf(ends[this.#mode], at);
      const part = text.slice(at, end < 0 ? text.length : end);
      at += part.length;
      if (this.#mode !== 'cdata') {
        this.#specialLength += part.length;
        if (this.#specialLength > specialLimit) {
          return {
            text: cleaned,
            fault: `A comment or instruction has more than ${specialLimit} characters.`,
          };
        }
      }
      if (this.#mode !== 'doctype') cleaned += part;
      else {
        this.#doctype += part;
        if (end < 0) continue;
        const fault = doctypeFault(this.#doctype);
        if (fault) return { text: cleaned, fault };
        cleaned += this.#doctype;
        this.#doctype = '';
      }
      if (end >= 0) {
        cleaned += ends[this.#mode];
        at += ends[this.#mode].length;
        this.#mode = 'ordinary';
        this.#lastAngle = '>';
      }
    }
    return { text: cleaned };
  }
}

const special = /<!\[CDATA\[|<!--|<\?|<!DOCTYPE/g;
const modes: Readonly<Record<string, Mode>> = {
  '<![CDATA[': 'cdata',
  '<!--': 'comment',
  '<?': 'instruction',
};

// Refused here because the parser would look up other names in an object, and so would know an entity "constructor".
const otherEntity = /&(?!(?:amp|lt|gt|quot|apos|#\d{1,8}|#x[\da-f]{1,6});)/i;

function entityFault(text: string): string {
  const name = /^&([\w.:-]{1,40});/.exec(text)?.[1];
  return name === undefined
    ? 'An "&" stands alone; XML writes it "&amp;".'
    : `The entity "&${name};" is refused: a report uses none but those of XML (&amp; &lt; &gt; &quot; &apos;).`;
}

function doctypeFault(part: string): string | undefined {
  if (/^\s*html\b/i.test(part)) return pageSentence;
  if (part.includes('[')) return 'It declares a document type with content (DTD), which is refused.';
  if (/\b(?:SYSTEM|PUBLIC)\b/.test(part)) return 'It refers to an external document type, which is refused.';
  return undefined;
}

export const pageSentence =
  'It is an HTML page, not a report. A server may have answered with a page for people: check the address it was fetched from.';

// XML 1.0 §2.2 allows no other characters. There are no lone surrogates here, because a decoder produced the text.
const otherCharacter = String.raw`[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]`;
const control = new RegExp(otherCharacter);
const controls = new RegExp(otherCharacter, 'g');

/** Replaces each control character by its picture (U+001B: ␛), so that names that differ by one still differ. */
function withoutControls(text: string): string {
  const plain = control.test(text) ? text.replaceAll(controls, pictureOf) : text;
  if (!plain.includes('&#')) return plain;
  return plain.replaceAll(
    /&#(?:x([\da-f]{1,6})|(\d{1,8}));/gi,
    (whole: string, hex?: string, decimal?: string) => {
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      if (code < 0x20)
        return code === 9 || code === 10 || code === 13 ? whole : pictureOf(String.fromCodePoint(code));
      return (code >= 0xd800 && code <= 0xdfff) || code === 0xfffe || code === 0xffff || code > 0x10ffff
        ? '\ufffd'
        : whole;
    },
  );
}

function pictureOf(character: string): string {
  const code = character.charCodeAt(0);
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : '\ufffd';
}
