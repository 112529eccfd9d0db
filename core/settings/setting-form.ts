import { isAddress } from '../base/mail-address.ts';

/** What a text has to look like, for {@link Setting}: said in words where a regular expression would explain nothing. */
export interface SettingForm {
  /** Completes "--name must be …". */
  readonly words: string;
  fits(text: string): boolean;
}

const without = 'without a path or a slash at the end';

/** A parameter of a URL that its name says is a secret, up to its value: `token=`, `access_token=`, `apiKey=`, `sslpassword=`. */
export const secretParameter =
  /[?&](?:[^?&=#]*(?:password|key|token|secret)|(?:[^?&=#]*[-_.])?sig(?:nature)?)=/i;

/** As links and issuers begin with it. */
export const publicOrigin: SettingForm = {
  words: `an origin such as https://trivet.example, ${without}`,
  fits: (text) => /^https?:\/\/[^\s/?#@]+$/.test(text) && URL.canParse(text),
};

/** As browsers send it in `Origin`, which is compared as a text. Apps in a web view have schemes of their own. */
export const pageOrigin: SettingForm = {
  words: `web origins such as https://app.example, ${without}`,
  fits: (text) =>
    text === 'null' ||
    (/^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@*]+$/.test(text) &&
      (!/^https?:/.test(text) || (URL.canParse(text) && new URL(text).origin === text))),
};

/** As it stands in `Host`. */
export const hostName: SettingForm = {
  words: 'names of hosts such as trivet.internal, with or without a port',
  fits: (text) => /^[^\s/?#@*]+$/.test(text),
};

export const mailAddress: SettingForm = {
  words: 'an e-mail address such as ana@example.org, without a name',
  fits: isAddress,
};

export const mailServer: SettingForm = {
  words:
    'smtp://HOST[:PORT] or smtps://HOST[:PORT]; the user is --smtp-user, the password --smtp-password-file',
  fits: (text) => /^smtps?:\/\/[^\s/@?#]+$/.test(text) && URL.canParse(text),
};

export const postgresUrl: SettingForm = {
  words: 'a URL such as postgres://USER@HOST/DATABASE',
  fits: (text) => /^postgres(?:ql)?:\/\//.test(text),
};

/** As the address of a server that listens. */
export const portOfHost: SettingForm = {
  words: 'a port, or a host and a port such as 127.0.0.1:9464',
  fits: (text) => /^(?:(?:[\w.-]+|\[[0-9a-fA-F:.]+\]):)?\d{1,5}$/.test(text),
};

export const serverUrl: SettingForm = {
  words: 'a URL such as https://trivet.example',
  fits: (text) => /^https?:\/\//.test(text) && URL.canParse(text),
};

export const replicaTarget: SettingForm = {
  words: 'file:///DIR or s3://BUCKET/PREFIX',
  fits: (text) => /^(?:file:\/\/\/|s3:\/\/)./.test(text),
};
