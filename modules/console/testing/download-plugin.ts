import { fileURLToPath } from 'node:url';
import { signedInCaller } from '../../../core/http/caller/bearer.ts';
import { defineModule } from '../../../core/module/module.ts';
import { backupDownload } from '../server/backup-download.ts';

/** A route for the download, in a server that runs from the sources: the backup is made by that program again. */
export const downloadPlugin = fileURLToPath(import.meta.url);

export default () =>
  defineModule({
    name: 'download',
    routes: (app, host) => {
      app.get('/download', async ({ request }) => backupDownload(host, await signedInCaller(host, request)));
    },
  });
