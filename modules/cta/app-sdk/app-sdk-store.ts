import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openedPack, type SentFile } from '../../../core/http/answer/file-pack.ts';
import { perHost } from '../../../core/host/host.ts';
import { nodeCrypto } from '../../../core/base/late-node.ts';

/** A file with the tag of its content. Each encoding has a tag of its own (RFC 9110 §8.8.3.3). */
interface TaggedFile extends SentFile {
  readonly tag: string;
}

interface AppSdkFiles {
  /** @throws Error for a name that no file has. */
  file(name: string, accepted: string): TaggedFile;
}

/** The app SDK as this server gives it to pages: that in the executable, or made from the sources when it is first asked for. */
export const appSdkFiles = perHost(() => {
  let loading: Promise<AppSdkFiles> | undefined;
  return () =>
    (loading ??= loaded().catch((error: unknown) => {
      loading = undefined;
      throw error;
    }));
});

async function loaded(): Promise<AppSdkFiles> {
  const pack = openedPack(
    Bun.isStandaloneExecutable ? readFileSync(join(import.meta.dir, 'sdk.pack')) : await fromSources(),
  );
  const known = new Map<string, TaggedFile>();
  return {
    file: (name, accepted) => {
      const sent = pack.file(name, accepted);
      if (!sent) throw new Error(`the app SDK has no ${name}`);
      const key = `${name} ${sent.encoding}`;
      const made = known.get(key) ?? { ...sent, tag: tagOf(sent.body) };
      known.set(key, made);
      return made;
    },
  };
}

const tagOf = (body: Uint8Array) =>
  `"${nodeCrypto().createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;

async function fromSources(): Promise<Uint8Array<ArrayBuffer>> {
  // A name hidden from the bundler: the executable contains the files but not the code that builds them.
  const made = '../../../release/sdk/served-files.ts';
  const { packedSdk } = (await import(made)) as {
    readonly packedSdk: () => Promise<Uint8Array<ArrayBuffer>>;
  };
  return packedSdk();
}
