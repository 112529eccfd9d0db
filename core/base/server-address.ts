/** A server as its users name it: origin and path of its address, without a slash at the end. Throws TypeError for an invalid URL. */
export function serverOriginOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname.replace(/(?<!\/)\/+$/, '')}`;
}
