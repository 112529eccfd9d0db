import { markup, type Html } from '../answer/html-page.ts';

/* The API reference for people: the content of `/openapi.json` as HTML pages without a script. Pure functions. */

interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly anyOf?: readonly Schema[];
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}

interface Described {
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly security?: readonly unknown[];
  readonly parameters?: ReadonlyArray<{
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly description?: string;
    readonly schema?: Schema;
  }>;
  readonly requestBody?: Content;
  readonly responses?: Readonly<Record<string, Content>>;
}

/** The parts of an OpenAPI document that this page uses. */
export interface ApiDocument extends Readonly<Record<string, unknown>> {
  readonly info: { readonly title: string; readonly version: string; readonly license?: object };
  readonly servers: ReadonlyArray<{ readonly url: string }>;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
}

interface ApiRoute extends Described {
  readonly method: string;
  readonly path: string;
}

/** Routes that are shown on one page. */
interface RouteGroup {
  /** The last segment of its address: letters, digits and `-`. */
  readonly name: string;
  readonly title: string;
  readonly routes: readonly ApiRoute[];
}

/** The groups of a document: one per toolset, and the other routes by the first part of their path. */
export function groupsOf(document: ApiDocument): readonly RouteGroup[] {
  const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, route]) => ({ ...route, method: method.toUpperCase(), path })),
  );
  const titleOf = ({ tags, path }: ApiRoute) =>
    tags?.[0] === undefined ? `Routes /${path.split('/')[1] ?? ''}` : `Toolset ${tags[0]}`;
  return [...Map.groupBy(routes, titleOf)].map(([title, all]) => ({
    name: slugOf(title.replace(/^Toolset /, '')),
    title,
    routes: all,
  }));
}

const slugOf = (text: string) =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');

/** The list of all routes, with links to their groups. */
export function indexBody({ info, servers }: ApiDocument, groups: readonly RouteGroup[]): Html {
  return markup`<main>
<h1>API of ${info.title} ${info.version}</h1>
<p>Address: <code>${servers[0]?.url ?? ''}</code>. For programs: <a href="/openapi.json">openapi.json</a>. A tool is called with
<code>POST /api/tools/{name}</code>, a bearer token and a JSON body; an error has a code, a message and a tip.</p>
${groups.map(
  ({ name, title, routes }) => markup`<h2><a href="/docs/${name}">${title}</a></h2>
<ul>
${routes.map(
  (
    route,
  ) => markup`<li><a href="/docs/${name}#${anchorOf(route)}"><code>${shownName(route)}</code></a> ${route.summary ?? ''}</li>
`,
)}</ul>
`,
)}</main>`;
}

/** One group in full. */
export function groupBody({ title, routes }: RouteGroup): Html {
  return markup`<nav><a href="/docs">All routes</a></nav>
<main>
<h1>${title}</h1>
${routes.map(routeSection)}</main>`;
}

const anchorOf = ({ method, path }: ApiRoute) => slugOf(`${method} ${path}`);

/** A tool by its name, any other route by method and path. */
const shownName = ({ method, path, tags }: ApiRoute) =>
  tags?.[0] === undefined ? `${method} ${path}` : (path.split('/').at(-1) ?? path);

function routeSection(route: ApiRoute): Html {
  const { method, path, summary, description, parameters = [], requestBody, responses, security } = route;
  const answer = responses?.['200']?.content ?? {};
  return markup`<section id="${anchorOf(route)}">
<h2>${summary ?? shownName(route)}</h2>
<p><code>${method} ${path}</code>${security ? markup` <span class="note">needs a bearer token</span>` : ''}</p>
${description === undefined ? '' : markup`<p>${description}</p>`}
${
  parameters.length === 0
    ? ''
    : fieldTable(
        'Headers and path',
        parameters.map(({ name, in: where, required, schema = {}, description: about }) => ({
          name: `${name} (${where})`,
          required: required === true,
          schema: { ...schema, ...(about === undefined ? {} : { description: about }) },
        })),
      )
}
${Object.entries(requestBody?.content ?? {}).map(([type, { schema }]) => bodyTable(`Body, ${type}`, schema))}
${Object.entries(answer).map(
  ([type, { schema }]) => markup`<details><summary>Answer, ${type}</summary>${bodyTable('', schema)}</details>
`,
)}</section>
`;
}

interface Field {
  readonly name: string;
  readonly required: boolean;
  readonly schema: Schema;
}

function bodyTable(title: string, schema: Schema | undefined): Html {
  const fields = schema === undefined ? [] : fieldsOf(schema, '');
  if (fields.length > 0) return fieldTable(title, fields);
  const said = schema === undefined ? 'a file' : typeWordsOf(schema) || 'any JSON';
  return markup`<p>${title === '' ? '' : `${title}: `}${said}${schema?.properties ? ' without fields' : ''}</p>`;
}

/** Deeper fields are left to the document: a rule of a CTA has its own page. */
const deepest = 4;

/** The fields of an object. Nested fields are listed with their path. */
function fieldsOf(schema: Schema, prefix: string, depth = 0): readonly Field[] {
  if (depth > deepest) return [];
  if (schema.items) return fieldsOf(schema.items, `${prefix}[]`, depth + 1);
  const required = new Set(schema.required);
  return Object.entries(schema.properties ?? {}).flatMap(([key, inner]) => {
    const name = prefix === '' ? key : `${prefix}.${key}`;
    return [{ name, required: required.has(key), schema: inner }, ...fieldsOf(inner, name, depth + 1)];
  });
}

const fieldTable = (
  title: string,
  fields: readonly Field[],
): Html => markup`${title === '' ? '' : markup`<h3>${title}</h3>`}
<div class="wide" tabindex="0" role="region" aria-label="${title === '' ? 'Fields of the answer' : title}"><table>
<thead><tr><th scope="col">Field</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead>
<tbody>
${fields.map(
  ({
    name,
    required,
    schema,
  }) => markup`<tr><td><code>${name}</code>${required ? markup` <span class="note">required</span>` : ''}</td><td>${typeWordsOf(schema)}</td><td>${schema.description ?? ''}</td></tr>
`,
)}</tbody>
</table></div>`;

/** A type with its limits, in words, e.g. `array of integer, at most 100 items`. */
export function typeWordsOf(schema: Schema): string {
  const { type, anyOf, items, enum: choices } = schema;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (choices)
    return `one of ${choices.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join(', ')}`;
  const base = anyOf
    ? [...new Set(anyOf.map((one) => typeWordsOf(one)))].join(' or ')
    : type === 'array'
      ? `array${items && !items.properties ? ` of ${typeWordsOf(items)}` : items ? ' of objects' : ''}`
      : [type ?? []].flat().join(' or ');
  return [base, ...limitsOf(schema)].filter((part) => part !== '').join(', ');
}

/** Ids and times have the largest safe integer as their maximum, which is not a limit of the API. */
const noLimit = Number.MAX_SAFE_INTEGER;

function limitsOf(schema: Schema): readonly string[] {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems } = schema;
  const most = maximum === noLimit ? undefined : maximum;
  const range =
    most === undefined
      ? minimum !== undefined && minimum > 1
        ? `at least ${minimum}`
        : ''
      : `${minimum ?? 'up to'}${minimum === undefined ? ' ' : ' to '}${most}`;
  return [
    range,
    minLength !== undefined && minLength > 1 ? `at least ${minLength} characters` : '',
    maxLength === undefined ? '' : `at most ${maxLength} characters`,
    minItems ? `at least ${minItems} items` : '',
    maxItems === undefined ? '' : `at most ${maxItems} items`,
    schema.default === undefined ? '' : `default ${JSON.stringify(schema.default)}`,
  ];
}
