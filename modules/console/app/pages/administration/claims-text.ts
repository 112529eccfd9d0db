import { t } from '../../texts/text.ts';

/** The claims that somebody typed as JSON, or what is wrong with the text. */
export function claimsOfText(
  text: string,
): { readonly claims: Readonly<Record<string, unknown>> } | { readonly mistake: string } {
  if (text.trim() === '') return { claims: {} };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { mistake: t('This is not JSON. Write names in quotes, e.g. {"plan": "pro"}.') };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { mistake: t('Claims are an object, e.g. {"plan": "pro"}.') };
  return { claims: value as Record<string, unknown> };
}

export const textOfClaims = (claims: Readonly<Record<string, unknown>>): string =>
  Object.keys(claims).length === 0 ? '' : JSON.stringify(claims, null, 2);
