import { countText } from '../../design/amount.ts';
import { failureText, frameCount } from './failure-text.ts';
import './triage.css';
import { t } from '../../texts/text.ts';

/** The message of a failure: what was said, the frames of the project, and those of libraries folded. */
export function FailureMessage({ text }: { readonly text: string }) {
  const { said, own, others } = failureText(text);
  return (
    <div className="stack tight failure-message">
      {said !== '' && <pre>{said}</pre>}
      {own.length > 0 && (
        <div className="own-frames" role="group" aria-label={t('Frames of the project')}>
          <pre>{own.join('\n')}</pre>
        </div>
      )}
      {others.length > 0 && (
        <details open={own.length === 0 && said === ''}>
          <summary>{t('{frames} of libraries', { frames: countText(frameCount(others), 'frame') })}</summary>
          <pre>{others.join('\n')}</pre>
        </details>
      )}
    </div>
  );
}
