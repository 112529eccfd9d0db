import { isJson, withValue, without, type Json } from './json-path.ts';

/** A part of a template that everybody knows, whatever the app calls it. */
export type TemplatePart = 'title' | 'text' | 'button' | 'image';

/** The names that apps use, the usual one first. */
const namesOf: Readonly<Record<TemplatePart, readonly string[]>> = {
  title: ['title', 'heading', 'header', 'headline'],
  text: ['text', 'message', 'body', 'description', 'subtitle', 'content'],
  button: ['button', 'buttonText', 'primaryButton', 'cta', 'buttons', 'ctas'],
  image: ['image', 'imageUrl', 'imageURL', 'image_url', 'img', 'picture', 'icon'],
};
const insideOf: Readonly<Record<TemplatePart, readonly string[]>> = {
  title: [],
  text: [],
  button: ['text', 'label', 'title', 'name'],
  image: ['url', 'src'],
};

type Path = ReadonlyArray<string | number>;

/** Where the part stands: in the template itself, in an object or in the first of a list. */
function pathOf(template: Json, part: TemplatePart): Path {
  const name = namesOf[part].find((one) => Object.hasOwn(template, one)) ?? namesOf[part][0] ?? part;
  const value = template[name];
  const own: Path = Array.isArray(value) ? [name, 0] : [name];
  const held = Array.isArray(value) ? (value as readonly unknown[])[0] : value;
  if (!isJson(held)) return own;
  return [...own, insideOf[part].find((one) => Object.hasOwn(held, one)) ?? insideOf[part][0] ?? 'text'];
}

const textAt = (value: unknown, path: Path): string => {
  const found = path.reduce<unknown>(
    (at, one) =>
      at !== null && typeof at === 'object' ? (at as Record<string | number, unknown>)[one] : undefined,
    value,
  );
  return typeof found === 'string' || typeof found === 'number' ? String(found) : '';
};

/** Whether a template has fields: an object, a text, or nothing yet. Of others only the JSON is edited. */
export const hasParts = (template: unknown): boolean =>
  template === undefined || typeof template === 'string' || isJson(template);

/** A part as a field shows it. A template that is a text is the text. */
export const templatePart = (template: unknown, part: TemplatePart): string =>
  isJson(template) ? textAt(template, pathOf(template, part)) : part === 'text' ? String(template ?? '') : '';

/** The template with another part; what the app calls it, and everything else, stays. An empty part is removed. */
export function withPart(template: unknown, part: TemplatePart, text: string): unknown {
  if (!isJson(template)) {
    const said = typeof template === 'string' ? template : '';
    if (part === 'text') return text === '' && said === '' ? template : text;
    if (text === '') return template;
    return { ...(said === '' ? {} : { text: said }), [namesOf[part][0] ?? part]: text };
  }
  const path = pathOf(template, part);
  return text === '' ? without(template, path) : withValue(template, path, text);
}
