import { isJson, type Json } from './json-path.ts';

/** What a template says, as far as its names are known. */
export interface NudgeContent {
  readonly title: string | null;
  readonly texts: readonly string[];
  /** The address of a picture. It is shown as a text: a picture would be loaded from elsewhere. */
  readonly image: string | null;
  readonly buttons: readonly string[];
  /** What has no known name, as JSON; null: nothing. */
  readonly rest: string | null;
}

const titleNames = ['title', 'heading', 'header', 'headline'];
const textNames = ['subtitle', 'text', 'message', 'body', 'description', 'content'];
const imageNames = ['image', 'imageUrl', 'imageURL', 'image_url', 'img', 'icon', 'picture'];
const buttonNames = ['button', 'buttons', 'buttonText', 'primaryButton', 'secondaryButton', 'cta', 'ctas'];
const buttonTextNames = ['text', 'label', 'title', 'name'];

const isText = (value: unknown): value is string | number =>
  (typeof value === 'string' && value !== '') || typeof value === 'number';

/** A template that was stored as text may be JSON. */
export function templateValue(template: unknown): unknown {
  if (typeof template !== 'string' || !/^\s*[[{]/.test(template)) return template;
  try {
    return JSON.parse(template) as unknown;
  } catch {
    return template;
  }
}

/** The parts of a template that can be shown as a card. Nothing is interpreted as HTML. */
export function nudgeContent(template: unknown): NudgeContent {
  const value = templateValue(template);
  const empty = { title: null, texts: [], image: null, buttons: [], rest: null };
  if (value === undefined || value === null) return empty;
  if (isText(value)) return { ...empty, texts: [String(value)] };
  if (!isJson(value)) return { ...empty, rest: JSON.stringify(value, null, 2) };
  const used = new Set<string>();
  const take = (names: readonly string[]): readonly string[] =>
    names.flatMap((name) => {
      const one = Object.hasOwn(value, name) ? value[name] : undefined;
      if (!isText(one)) return [];
      used.add(name);
      return [String(one)];
    });
  const titles = take(titleNames);
  const texts = take(textNames);
  const images = imageNames.flatMap((name) => {
    const one = Object.hasOwn(value, name) ? value[name] : undefined;
    const url = isJson(one) ? (one['url'] ?? one['src']) : one;
    if (!isText(url)) return [];
    used.add(name);
    return [String(url)];
  });
  const buttons = buttonNames.flatMap((name) => {
    const found = Object.hasOwn(value, name) ? buttonTexts(value[name]) : [];
    if (found.length > 0) used.add(name);
    return found;
  });
  const rest = Object.entries(value).filter(([name]) => !used.has(name));
  return {
    title: titles[0] ?? null,
    texts: [...titles.slice(1), ...texts],
    image: images[0] ?? null,
    buttons,
    rest: rest.length === 0 ? null : JSON.stringify(Object.fromEntries(rest), null, 2),
  };
}

function buttonTexts(value: unknown): readonly string[] {
  if (isText(value)) return [String(value)];
  if (Array.isArray(value)) return value.flatMap(buttonTexts);
  if (!isJson(value)) return [];
  const text = textOfButton(value);
  return text === undefined ? [] : [text];
}

function textOfButton(button: Json): string | undefined {
  const name = buttonTextNames.find((one) => isText(button[one]));
  return name === undefined ? undefined : String(button[name]);
}
