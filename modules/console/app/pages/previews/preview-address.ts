const key = 'trivet-app-link';

/** The link that shows a preview in an app (`handleUrl` of trivet-sdk): the app's own link with the id in its query. */
export function previewAddress(appLink: string, id: string): string {
  const [, address = '', fragment = ''] = /^([^#]*)(#.*)?$/.exec(appLink.trim()) ?? [];
  const separator = address.includes('?') ? '&' : '?';
  return `${address}${separator}trivet-preview=${encodeURIComponent(id)}${fragment}`;
}

/** The link of the app that was typed last in this browser. */
export function knownAppLink(): string {
  try {
    return localStorage.getItem(key) ?? '';
  } catch {
    return '';
  }
}

export function rememberAppLink(link: string): void {
  try {
    localStorage.setItem(key, link);
  } catch {
    // Without storage it is typed again.
  }
}
