/** The values of all cookies of a request that have this name: another host of the domain may have set one, which then precedes ours. */
export const cookiesNamed = (request: Request, name: string): readonly string[] =>
  (request.headers.get('cookie') ?? '').split(';').flatMap((pair) => {
    const at = pair.indexOf('=');
    return pair.slice(0, at).trim() === name ? [pair.slice(at + 1).trim()] : [];
  });
