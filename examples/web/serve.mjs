// Serves this folder: node examples/web/serve.mjs [port]. A page opened as a file has no origin, so it could call no server.
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';

const types = { html: 'text/html', css: 'text/css', js: 'text/javascript' };
const server = createServer(async ({ url = '/' }, response) => {
  const [, name = 'index.html', type = 'html'] = /^\/(\w+\.(html|css|js))(?:\?|$)/.exec(url) ?? [];
  const body = await readFile(new URL(name, import.meta.url)).catch(() => null);
  response.writeHead(body ? 200 : 404, { 'content-type': `${types[type]}; charset=utf-8` });
  response.end(body);
});
server.listen(Number(process.argv[2] ?? 8080), '127.0.0.1', () =>
  process.stdout.write(`http://127.0.0.1:${server.address().port}/\n`),
);
