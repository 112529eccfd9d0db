import { Type } from '@sinclair/typebox';
import { closedObject, words } from '../../../core/base/schema.ts';

/**
 * The bodies of Area A's requests and responses, for the API description. Requests are read by hand, so that each problem has the
 * code of docs/contract.md, Area A; test/openapi.test.ts checks the responses against these schemas. Created on demand: it would
 * cost each command 0.9 ms of its start together with that of Area B (measured).
 */
export function authWire() {
  const seconds = Type.Integer({ minimum: 1, description: 'Seconds the access token lives.' });
  const bearer = words(['Bearer'], { description: 'Always Bearer.' });
  const rotated = Type.String({
    description: 'Exchanged for new tokens once: each response has the next one.',
  });

  const AuthenticateBody = Type.Object({
    responseType: Type.String({ description: 'token, id_token, "token id_token" or "id_token token".' }),
    grantType: Type.String({
      description:
        'authorization_code, id_token, or the urn of token exchange (RFC 8693) or of JWT bearer (RFC 7523).',
    }),
    identifier: Type.String({ maxLength: 16 * 1024, description: "The identity provider's ID token." }),
    idProvider: Type.String({
      pattern: '^[a-z][a-z0-9_-]{0,63}$',
      description: 'A provider of the configuration.',
    }),
    resources: Type.Array(Type.String({ minLength: 1, maxLength: 256 }), {
      maxItems: 32,
      description: 'For whom the access token is (its aud); none: for this server.',
    }),
  });

  const RefreshBody = Type.Object({ refreshToken: Type.String() });
  const RevokeBody = Type.Object({
    token: Type.String({ description: 'An access, refresh or personal access token.' }),
  });

  const RefreshAnswer = closedObject({
    accessToken: Type.String({ description: 'A JWT, RFC 9068.' }),
    expiresIn: seconds,
    refreshToken: rotated,
    tokenType: bearer,
  });
  const AuthenticateAnswer = closedObject({
    ...RefreshAnswer.properties,
    idToken: Type.String({ description: 'A JWT that says who the user is.' }),
  });
  const VerifyAnswer = closedObject({
    isAuthTokenValid: Type.Boolean({ description: 'False for anything but a live access token.' }),
  });

  const KeySet = closedObject(
    {
      keys: Type.Array(
        Type.Object({ kty: Type.String(), kid: Type.String(), alg: Type.String(), use: Type.String() }),
      ),
    },
    { description: 'JSON Web Key Set, RFC 7517.' },
  );
  return {
    AuthenticateBody,
    RefreshBody,
    RevokeBody,
    RefreshAnswer,
    AuthenticateAnswer,
    VerifyAnswer,
    KeySet,
  };
}

/** The bodies of guests and identities; see {@link authWire}. */
export function identityWire() {
  const { AuthenticateBody, AuthenticateAnswer } = authWire();
  const { identifier, idProvider, resources } = AuthenticateBody.properties;
  const GuestBody = Type.Object({
    resources,
    installId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 128,
        description:
          'Of this installation of the app: a limit counts by it. It is not stored and proves nothing.',
      }),
    ),
  });
  const LinkBody = Type.Object({
    idProvider,
    identifier,
    onConflict: Type.Optional(
      words(['fail', 'switch'], {
        default: 'fail',
        description: 'If another user has the identity: refuse, or (a guest) become part of that user.',
      }),
    ),
  });

  const GuestAnswer = closedObject({
    ...AuthenticateAnswer.properties,
    isGuest: Type.Literal(true),
  });
  const LinkAnswer = closedObject({
    ...AuthenticateAnswer.properties,
    mergedFrom: Type.Optional(
      Type.String({ description: 'After "switch": the user id of the guest, who is part of the user now.' }),
    ),
  });
  const IdentitiesAnswer = closedObject({
    identities: Type.Array(
      closedObject({ identityId: Type.Integer(), provider: Type.String(), linkedAt: Type.String() }),
    ),
  });
  return { GuestBody, LinkBody, GuestAnswer, LinkAnswer, IdentitiesAnswer };
}
