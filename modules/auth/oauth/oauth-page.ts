import { Html, htmlAnswer, markup } from '../../../core/http/answer/html-page.ts';

const style = `:root{color-scheme:light dark}
*{box-sizing:border-box}
body{margin:0;padding:2.5rem 1rem;font:1rem/1.5 system-ui,sans-serif;color:#1b1f24;background:#f6f7f9;overflow-wrap:anywhere}
header,main{max-width:28rem;margin:0 auto}
header{display:flex;gap:.5rem;align-items:center;justify-content:center;margin-bottom:1.25rem;font-size:1.1rem;font-weight:700}
header svg{width:1.6rem;height:1.6rem}
main{padding:1.5rem 1.5rem 1rem;background:#fff;border:1px solid #dadee5;border-radius:.75rem}
@media (max-width:30rem){body{padding:1.5rem .75rem}main{padding:1.25rem 1rem .75rem}}
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
@media (prefers-color-scheme:dark){body{color:#e5e7eb;background:#0e1115}main{background:#14171c;border-color:#313844}
.note{color:#a3adba}button{background:#2f5fd0;border-color:#2f5fd0}}`;

/** The icon of the console (modules/console/app/icon.svg), in the page itself: the page loads nothing. */
const mark = new Html(
  '<svg viewBox="0 0 32 32" aria-hidden="true"><path d="M16 3 3 10v3h26v-3L16 3Z" fill="#2f6fdd"/>' +
    '<path d="M7 15h4l-3 14H5l2-14Zm7 0h4v14h-4V15Zm7 0h4l2 14h-3l-3-14Z" fill="#e0862b"/></svg>',
);

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
    body: markup`<header>${mark} Trivet</header>
<main>
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
