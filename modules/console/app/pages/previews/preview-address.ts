import { personalKeys, storedText, storeText } from '../../api/browser-store.ts';

const key = personalKeys.appLink;

/** The link that shows a preview in an app (`handleUrl` of trivet-sdk): the app's own link with the id in its query. */
export function previewAddress(appLink: string, id: string): string {
  const [, address = '', fragment = ''] = /^([^#]*)(#.*)?$/.exec(appLink.trim()) ?? [];
  const separator = address.includes('?') ? '&' : '?';
  return `${address}${separator}trivet-preview=${encodeURIComponent(id)}${fragment}`;
}

/** The link of the app that was typed last in this browser. */
export const knownAppLink = (): string => storedText(key) ?? '';

export const rememberAppLink = (link: string): void => storeText(key, link);
