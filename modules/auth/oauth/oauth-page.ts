/** Text that is HTML already. Only {@link markup} makes it, so what a client says is always escaped. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | Html | readonly Html[];

/** HTML with escaped values. Not named `html`: the formatter would change its spaces, and with them the hash of the style. @example markup`<p>${name}</p>` */
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

const style = `:root{color-scheme:light dark}
*{box-sizing:border-box}
body{margin:0 auto;padding:2rem 1rem;max-width:28rem;font:1rem/1.5 system-ui,sans-serif;color:#1b1f24;background:#fff;overflow-wrap:anywhere}
h1{font-size:1.4rem;line-height:1.25;margin:0 0 1rem}
ul{padding-left:1.25rem}
label{display:block;margin:1rem 0 .25rem}
input{width:100%;padding:.6rem;font:inherit;color:inherit;background:transparent;border:1px solid #6b7280;border-radius:.4rem}
button{display:block;width:100%;min-height:2.75rem;margin:.75rem 0;padding:.6rem;font:inherit;font-weight:600;color:#fff;background:#1d4ed8;border:1px solid #1d4ed8;border-radius:.4rem;cursor:pointer}
button.plain{color:inherit;background:transparent;border-color:#6b7280}
:focus-visible{outline:3px solid #d97706;outline-offset:2px}
.note{color:#4b5563;font-size:.9rem}
.code{font:700 1.5rem/1 ui-monospace,monospace;letter-spacing:.1em}
@media (prefers-color-scheme:dark){body{color:#e5e7eb;background:#111418}.note{color:#a3adba}button{background:#2f5fd0;border-color:#2f5fd0}}`;

const hashOf = (text: string) => `'sha256-${new Bun.CryptoHasher('sha256').update(text).digest('base64')}'`;

interface PageOptions {
  readonly title: string;
  readonly body: Html;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The one script of the page, which works without it too. */
  readonly script?: string;
}

/**
 * A page of the sign-in. Nothing is loaded and nothing may frame it. `form-action` is left out: browsers apply it to where a form's
 * answer redirects, and that is the provider. With `no-referrer` browsers send the Origin of a form as `null`.
 */
export function pageAnswer({ title, body, status = 200, headers = {}, script }: PageOptions): Response {
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
<main>
<h1>${title}</h1>
${body}
</main>
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

/** A redirect after which the browser asks with GET, and that is not remembered. */
export const redirectAnswer = (location: string, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(null, {
    status: 303,
    headers: { Location: location, 'Cache-Control': 'no-store', ...headers },
  });
