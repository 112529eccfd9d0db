/** Trusted HTML. Only {@link markup} creates it, so text from a client is always escaped. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | Html | readonly Html[];

/**
 * HTML with escaped values. Not named `html`: the formatter would change its whitespace and thus the hash of the style. @example
 * markup`<p>${name}</p>`
 */
export function markup(texts: TemplateStringsArray, ...values: readonly Part[]): Html {
  return new Html(
    texts.map((text, index) => `${index === 0 ? '' : shownPart(values[index - 1] ?? '')}${text}`).join(''),
  );
}

function shownPart(part: Part): string {
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(({ text }) => text).join('');
  return Bun.escapeHTML(String(part));
}

const hashOf = (text: string) => `'sha256-${new Bun.CryptoHasher('sha256').update(text).digest('base64')}'`;

interface PageOptions {
  readonly title: string;
  readonly body: Html;
  readonly style: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The only script of the page, which also works without it. */
  readonly script?: string;
}

/**
 * A page that loads nothing and that nothing may frame. `form-action` is left out: browsers apply it to redirects after a form, too, and
 * these may lead to an identity provider. With `no-referrer` browsers send the Origin of a form as `null`.
 */
export function htmlAnswer({
  title,
  body,
  style,
  status = 200,
  headers = {},
  script,
}: PageOptions): Response {
  const scripts = script === undefined ? '' : `; script-src ${hashOf(script)}`;
  const text = markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} – Trivet</title>
<style>${new Html(style)}</style>
</head>
<body>
${body}
${script === undefined ? '' : new Html(`<script>${script}</script>`)}
</body>
</html>
`;
  return new Response(text.text, {
    status,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': `default-src 'none'; style-src ${hashOf(style)}${scripts}; base-uri 'none'; frame-ancestors 'none'`,
      'X-Frame-Options': 'DENY',
      'Referrer-Policy': 'same-origin',
      'Cache-Control': 'no-store',
      ...headers,
    },
  });
}
