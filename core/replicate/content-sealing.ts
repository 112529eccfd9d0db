import { decrypterFor, encrypterFor, notForThisIdentity } from '../base/age-cipher.ts';
import { isContentOf, readReplicaObject, sha256, type ObjectFace } from './replica-object.ts';

/** Makes the content of an object: compressed with Zstandard, then encrypted for the recipients, if there are any. */
export async function contentSealer(recipients: readonly string[]) {
  const encrypter = recipients.length > 0 ? await encrypterFor(recipients) : undefined;
  return async (content: Uint8Array): Promise<Uint8Array> => {
    const compressed = Bun.zstdCompressSync(content as Uint8Array<ArrayBuffer>, { level: 3 });
    return encrypter ? encrypter.encrypt(compressed) : compressed;
  };
}

/** An object that was read and is what its name says. */
export interface OpenedObject {
  readonly face: ObjectFace;
  /** Its content, with the digest of the line at its start. */
  readonly content: Uint8Array;
}

/** Why an object cannot be used. */
export class ObjectFault extends Error {
  override readonly name = 'ObjectFault';
}

/**
 * Opens objects.
 * @param identity age identities, one per line.
 * @param where the name of the replica, in errors.
 * @returns a function that throws ObjectFault for an object that is torn, changed or of another place; UsageError without the right identity.
 */
export function objectOpener(identity: string | undefined, where: string) {
  let decrypter: ReturnType<typeof decrypterFor> | undefined;
  let decrypted = false;
  return async (bytes: Uint8Array, digest: string): Promise<OpenedObject> => {
    if (sha256(bytes) !== digest) throw new ObjectFault('it is not whole, or was changed');
    const read = readReplicaObject(bytes);
    if (!read) throw new ObjectFault('it is no object of this format');
    const { face, head, body } = read;
    let compressed = body;
    if (face.encrypted) {
      decrypter ??= decrypterFor(identity, where);
      try {
        compressed = await (await decrypter).decrypt(body);
        decrypted = true;
      } catch (error) {
        if (decrypted || !(error instanceof Error) || error.name === 'UsageError')
          throw error instanceof Error && error.name === 'UsageError'
            ? error
            : new ObjectFault('it cannot be decrypted');
        throw notForThisIdentity(where);
      }
    }
    let content: Uint8Array;
    try {
      content = Bun.zstdDecompressSync(compressed as Uint8Array<ArrayBuffer>);
    } catch {
      throw new ObjectFault('its content cannot be decompressed');
    }
    if (!isContentOf(head, content)) throw new ObjectFault('its content belongs to another object');
    return { face, content };
  };
}
