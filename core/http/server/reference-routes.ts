import type { Elysia } from 'elysia';
import { htmlAnswer, markup, type Html } from '../answer/html-page.ts';
import { groupBody, groupsOf, indexBody, type ApiDocument } from './reference-page.ts';

const style = `:root{color-scheme:light dark}
*{box-sizing:border-box}
body{margin:0 auto;padding:1.5rem 1rem;max-width:64rem;font:1rem/1.5 system-ui,sans-serif;color:#1b1f24;background:#fff;overflow-wrap:anywhere}
h1{font-size:1.5rem;line-height:1.25}
h2{font-size:1.15rem;margin:2rem 0 .25rem}
h3{font-size:1rem;margin:1rem 0 .25rem}
p{margin:.25rem 0 .5rem}
a{color:#1d4ed8}
code{font-family:ui-monospace,monospace;font-size:.92em}
ul{padding-left:1.25rem}
section{border-top:1px solid #d1d5db;scroll-margin-top:1rem}
table{border-collapse:collapse;width:100%;font-size:.93rem}
th,td{text-align:left;vertical-align:top;padding:.3rem .6rem .3rem 0;border-bottom:1px solid #e5e7eb}
.wide{overflow-x:auto}
summary{cursor:pointer;margin:.5rem 0}
.note{color:#4b5563;font-size:.85rem}
:focus-visible{outline:3px solid #d97706;outline-offset:2px}
@media (prefers-color-scheme:dark){body{color:#e5e7eb;background:#111418}a{color:#93b4ff}.note{color:#a3adba}section{border-color:#374151}th,td{border-color:#262c35}}`;

const unknownGroup = markup`<main><h1>There is no such part</h1><p><a href="/docs">All routes</a></p></main>`;

/**
 * `GET /docs` and `GET /docs/{group}`: the API reference for people, generated from `/openapi.json`. Like that document it requires no
 * token.
 */
export function referenceRoutes(app: Elysia, documentOf: () => ApiDocument): void {
  // Each page is generated once: the document of a running server does not change.
  const pages = new Map<string, Html>();
  const page = (name: string, title: string, make: () => Html): Response => {
    const headers = { 'Cache-Control': 'no-cache' };
    const body = pages.get(name) ?? make();
    pages.set(name, body);
    return htmlAnswer({ title, style, body, headers });
  };
  app.get(
    '/docs',
    () => {
      const document = documentOf();
      return page('', 'API', () => indexBody(document, groupsOf(document)));
    },
    { parse: 'none', detail: { hide: true } },
  );
  app.get(
    '/docs/:group',
    ({ params }) => {
      const group = groupsOf(documentOf()).find(({ name }) => name === params.group);
      if (!group) return htmlAnswer({ title: 'API', style, body: unknownGroup, status: 404 });
      return page(group.name, group.title, () => groupBody(group));
    },
    { parse: 'none', detail: { hide: true } },
  );
}
