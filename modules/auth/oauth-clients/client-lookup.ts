import type { Host } from '../../../core/host/host.ts';
import { clientDocuments, isDocumentId } from './client-document.ts';
import { readRegisteredClient, type OauthClient } from './oauth-client.ts';
import { OauthError } from './oauth-error.ts';

/** `trivet login`, which every server knows. */
const commandLineClient: OauthClient = {
  id: 'trivet-cli',
  name: 'The command line of Trivet',
  host: null,
  redirectUris: ['http://127.0.0.1/callback'],
};

/** The client of an id. @throws OauthError invalid_client for an unknown or forged one, Fault RATE_LIMITED. */
export async function clientOf(host: Host, id: string): Promise<OauthClient> {
  if (id === commandLineClient.id) return commandLineClient;
  const registered = readRegisteredClient(host, id);
  if (registered) return registered;
  if (isDocumentId(id)) return clientDocuments(host).find(id);
  throw new OauthError('invalid_client', 'This client is not known. Register it again.');
}
