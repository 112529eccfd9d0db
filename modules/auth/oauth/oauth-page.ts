import { htmlAnswer, markup, type Html } from '../../../core/http/answer/html-page.ts';

const style = `:root{color-scheme:light dark}
*{box-sizing:border-box}
body{margin:0 auto;padding:2rem 1rem;max-width:28rem;font:1rem/1.5 system-ui,sans-serif;color:#1b1f24;background:#fff;overflow-wrap:anywhere}
h1{font-size:1.4rem;line-height:1.25;margin:0 0 1rem}
ul{padding-left:1.25rem}
label{display:block;margin:1rem 0 .25rem}
fieldset{margin:1rem 0;padding:.25rem 1rem .75rem;border:1px solid #6b7280;border-radius:.4rem}
.tick{display:flex;gap:.6rem;align-items:center;min-height:2.75rem;margin:0}
.tick input{flex:none;width:1.25rem;height:1.25rem}
input{width:100%;padding:.6rem;font:inherit;color:inherit;background:transparent;border:1px solid #6b7280;border-radius:.4rem}
button{display:block;width:100%;min-height:2.75rem;margin:.75rem 0;padding:.6rem;font:inherit;font-weight:600;color:#fff;background:#1d4ed8;border:1px solid #1d4ed8;border-radius:.4rem;cursor:pointer}
button.plain{color:inherit;background:transparent;border-color:#6b7280}
:focus-visible{outline:3px solid #d97706;outline-offset:2px}
[hidden]{display:none!important}
.note{color:#4b5563;font-size:.9rem}
.code{font:700 1.5rem/1 ui-monospace,monospace;letter-spacing:.1em}
@media (prefers-color-scheme:dark){body{color:#e5e7eb;background:#111418}[hidden]{display:none!important}
.note{color:#a3adba}button{background:#2f5fd0;border-color:#2f5fd0}}`;

interface PageOptions {
  readonly title: string;
  readonly body: Html;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The only script of the page, which also works without it. */
  readonly script?: string;
}

/** A page of the sign-in. */
export const pageAnswer = ({ title, body, ...rest }: PageOptions): Response =>
  htmlAnswer({
    title,
    style,
    body: markup`<main>
<h1>${title}</h1>
${body}
</main>`,
    ...rest,
  });

/** A redirect that the browser follows with GET and does not cache. */
export const redirectAnswer = (location: string, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(null, {
    status: 303,
    headers: { Location: location, 'Cache-Control': 'no-store', ...headers },
  });
