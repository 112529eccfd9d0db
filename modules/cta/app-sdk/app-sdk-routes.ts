import type { Elysia } from 'elysia';
import { tagIsNamed } from '../../../core/http/answer/entity-tag.ts';
import type { Host } from '../../../core/host/host.ts';
import { appSdkFiles } from './app-sdk-store.ts';

const names = ['trivet.js', 'trivet.js.sri', 'cases.json'] as const;

/**
 * `GET /sdk/…`: the app SDK for pages without a bundler, its integrity, and the cases of the engine. The same for everybody and without
 * a secret, so pages of any origin may load them; a server with `--cors-origin` says nothing else.
 */
export function appSdkRoutes(app: Elysia, host: Host): void {
  const files = appSdkFiles(host);
  for (const name of names) {
    app.get(
      `/sdk/${name}`,
      async ({ request }) => {
        const { type, body, encoding, tag } = (await files()).file(
          name,
          request.headers.get('accept-encoding') ?? '',
        );
        const headers = {
          // A page that names the integrity needs the file of the same moment, so caches ask.
          'Cache-Control': 'public, no-cache',
          ETag: tag,
          Vary: 'Accept-Encoding',
          'Access-Control-Allow-Origin': '*',
          'Cross-Origin-Resource-Policy': 'cross-origin',
        };
        if (tagIsNamed(request.headers.get('if-none-match'), tag))
          return new Response(null, { status: 304, headers });
        return new Response(body, {
          headers: { ...headers, 'Content-Type': type, ...(encoding && { 'Content-Encoding': encoding }) },
        });
      },
      // Files and no operations: the API reference describes those.
      { parse: 'none', detail: { hide: true } },
    );
  }
}
