import { Type } from '@sinclair/typebox';
import type { Elysia } from 'elysia';
import type { Host } from '../../../core/host/host.ts';
import { jsonAnswer } from '../../../core/http/answer/answer.ts';
import { jsonResult } from '../../../core/http/server/openapi.ts';
import { mcpMetadataPath, reachedOrigin } from '../base/resource.ts';
import { signingAlgorithms } from '../base/signing-algorithms.ts';
import { allScopes, usualScopes } from './oauth-scope.ts';

const publicHeaders = { 'Cache-Control': 'public, max-age=300', Vary: 'Host' };

/** The documents by which clients find out how to sign in (RFC 9728, RFC 8414, OpenID Connect Discovery 1.0). */
export function metadataRoutes(app: Elysia, host: Host): void {
  const resourcePath = mcpMetadataPath.slice(0, -'/mcp'.length);
  for (const [path, resource] of [
    [mcpMetadataPath, '/mcp'],
    [resourcePath, ''],
  ] as const) {
    app.get(
      path,
      ({ request }) =>
        jsonAnswer(
          {
            // Clients compare it with the address that they were given (RFC 9728 §3.3).
            resource: `${reachedOrigin(host.origin(), request.headers.get('host'))}${resource}`,
            authorization_servers: [host.origin()],
            scopes_supported: usualScopes(host),
            bearer_methods_supported: ['header'],
            resource_name: 'Trivet',
          },
          publicHeaders,
        ),
      {
        parse: 'none',
        detail: {
          summary: `Who issues the tokens of ${resource || 'this server'} (RFC 9728)`,
          responses: jsonResult(Type.Object({ resource: Type.String() })),
        },
      },
    );
  }

  const issuer = jsonResult(Type.Object({ issuer: Type.String() }));
  app.get('/.well-known/oauth-authorization-server', () => jsonAnswer(serverMetadata(host), publicHeaders), {
    parse: 'none',
    detail: { summary: 'How clients get tokens (RFC 8414)', responses: issuer },
  });
  app.get(
    '/.well-known/openid-configuration',
    () =>
      jsonAnswer(
        {
          ...serverMetadata(host),
          userinfo_endpoint: `${host.origin()}/oauth/userinfo`,
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: [...signingAlgorithms],
        },
        publicHeaders,
      ),
    {
      parse: 'none',
      detail: { summary: 'The same, with the keys, for libraries that verify our tokens', responses: issuer },
    },
  );
}

function serverMetadata(host: Host) {
  const issuer = host.origin();
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    registration_endpoint: `${issuer}/oauth/register`,
    device_authorization_endpoint: `${issuer}/oauth/device_authorization`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    introspection_endpoint: `${issuer}/oauth/introspect`,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    scopes_supported: allScopes(host),
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: [
      'authorization_code',
      'refresh_token',
      'urn:ietf:params:oauth:grant-type:device_code',
    ],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    // RFC 8414 §2: a type of access token stands for a bearer token, here a personal one of scope "introspect".
    introspection_endpoint_auth_methods_supported: ['Bearer'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  };
}
