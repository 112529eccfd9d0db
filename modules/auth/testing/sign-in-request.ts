export const authenticatePath = '/v1/auth/social/authenticate';

/** The body of a sign-in with an ID token, at the provider `real` unless `change` says otherwise. */
export const signInBody = (identifier: string, change: object = {}) => ({
  responseType: 'token',
  grantType: 'authorization_code',
  identifier,
  idProvider: 'real',
  resources: ['api'],
  ...change,
});
