import { Type } from '@sinclair/typebox';
import type { Elysia } from 'elysia';
import type { Host } from '../../../core/host/host.ts';
import { jsonText } from '../../../core/http/answer/answer.ts';
import { tagIsNamed } from '../../../core/http/answer/entity-tag.ts';
import { jsonResult } from '../../../core/http/server/openapi.ts';
import { nodeCrypto } from '../../../core/base/late-node.ts';
import { ruleSchema, ruleSchemaPath } from '../rules/rule-schema.ts';

const Described = Type.Object(
  { $schema: Type.String(), $id: Type.String() },
  { description: 'A JSON Schema 2020-12.' },
);

/** `GET /schemas/cta-rule.json`: the format of a rule, for editors and for programs that write rules. Anybody may read it. */
export function ruleSchemaRoutes(app: Elysia, host: Host): void {
  let written: { readonly text: string; readonly tag: string } | undefined;
  const document = () => {
    const text = JSON.stringify(ruleSchema(`${host.origin()}${ruleSchemaPath}`));
    const tag = `"${nodeCrypto().createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
    written = { text, tag };
    return written;
  };

  app.get(
    ruleSchemaPath,
    ({ request }) => {
      const { text, tag } = written ?? document();
      const headers = { 'Cache-Control': 'public, max-age=300', ETag: tag };
      return tagIsNamed(request.headers.get('if-none-match'), tag)
        ? new Response(null, { status: 304, headers })
        : jsonText(text, headers);
    },
    {
      parse: 'none',
      detail: { summary: 'The rule of a CTA as JSON Schema', responses: jsonResult(Described) },
    },
  );
}
