import { useState } from 'react';
import { encode } from 'uqr';
import { CopyField } from '../../design/copy-field.tsx';
import { Field } from '../../design/fields.tsx';
import { knownAppLink, previewAddress, rememberAppLink } from './preview-address.ts';
import { t } from '../../texts/text.ts';

/** How to see a preview on a telephone: a link into the app, and the same as a code to scan. */
export function PreviewLink({ id }: { readonly id: string }) {
  const [appLink, setAppLink] = useState(knownAppLink);
  const change = (text: string) => {
    setAppLink(text);
    rememberAppLink(text);
  };
  const link = appLink.trim() === '' ? null : previewAddress(appLink, id);
  return (
    <div className="stack">
      <Field
        label={t('Link of the app')}
        placeholder="https://shop.example or shop://open"
        note={t('An app with trivet-sdk shows the preview when it is opened by the link below.')}
        value={appLink}
        onChange={change}
      />
      {link !== null && (
        <>
          <CopyField label={t('Link to the preview')} value={link} />
          <ScannedCode text={link} />
        </>
      )}
    </div>
  );
}

/** The most characters that a camera still reads from a screen. */
const maxCodeLength = 500;

function ScannedCode({ text }: { readonly text: string }) {
  if (text.length > maxCodeLength) return null;
  const { data, size } = encode(text, { border: 2 });
  const path = data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return (
    <svg
      className="scanned-code"
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={t('The link as a code to scan')}
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" shapeRendering="crispEdges" />
    </svg>
  );
}
