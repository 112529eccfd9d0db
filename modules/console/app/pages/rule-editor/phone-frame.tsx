import { nudgeContent } from './nudge-content.ts';
import './phone.css';
import { t } from '../../texts/text.ts';

/** A template as a neutral card in a drawn phone. Only texts: what a template says never becomes HTML. */
export function PhoneFrame({ template }: { readonly template: unknown }) {
  const { title, texts, image, buttons, rest } = nudgeContent(template);
  const isEmpty = title === null && texts.length === 0 && image === null && buttons.length === 0;
  return (
    <section className="phone" aria-label={t('Preview in a phone')}>
      <div className="phone-bar" aria-hidden="true" />
      <div className="phone-screen" tabIndex={0} role="group" aria-label={t('Screen')}>
        <div className="phone-line" aria-hidden="true" />
        <div className="phone-line short" aria-hidden="true" />
        <div className="phone-card stack">
          {image !== null && (
            <div className="phone-image">
              <span aria-hidden="true">▧</span>
              <span className="wrap">{image}</span>
            </div>
          )}
          {title !== null && <strong className="wrap">{title}</strong>}
          {texts.map((text, index) => (
            <p key={index} className="wrap">
              {text}
            </p>
          ))}
          {buttons.length > 0 && (
            <div className="row">
              {buttons.map((text, index) => (
                <span key={index} className={index === 0 ? 'phone-button first' : 'phone-button'}>
                  {text}
                </span>
              ))}
            </div>
          )}
          {isEmpty && rest === null && <p className="note">{t('The template is empty.')}</p>}
          {rest !== null && <pre className="phone-rest">{rest}</pre>}
        </div>
      </div>
      <p className="note">{t('The app decides how it looks. Here are its texts only.')}</p>
    </section>
  );
}
