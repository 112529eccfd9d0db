import { fileURLToPath } from 'node:url';
import { signedInCaller } from '../../../core/http/bearer.ts';
import { defineModule } from '../../../core/module.ts';
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
