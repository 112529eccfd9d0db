import { readFileSync, writeFileSync } from 'node:fs';
import { transformSync } from '@babel/core';
import preset from '@react-native/babel-preset';

/* `node metro-transform.mjs FILE PROFILE` writes FILE.out: what Metro makes of a file for this profile of the preset. */
const [file, profile] = process.argv.slice(2);
const options = {
  unstable_transformProfile: profile,
  disableImportExportTransform: true,
  enableBabelRuntime: false,
};
const { code } = transformSync(readFileSync(file, 'utf8'), {
  babelrc: false,
  configFile: false,
  sourceType: 'script',
  filename: 'node_modules/trivet-sdk/dist/trivet.cjs',
  presets: [[preset, options]],
});
writeFileSync(`${file}.out`, code);
