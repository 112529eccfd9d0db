import { Page } from '../../design/states.tsx';
import { DesignControls } from './design-controls.tsx';
import { DesignData } from './design-data.tsx';
import { DesignStates } from './design-states.tsx';
import { DesignTokens } from './design-tokens.tsx';
import './design.css';

const schemes = ['light', 'dark'] as const;

/** Every component of the console in its states, in both schemes beside each other. */
export default function DesignPage() {
  return (
    <Page title="Design system">
      <p className="note">
        Pages are made of these components and tokens. A component that a second page needs is added to the
        folder <code>app/design</code>, and here.
      </p>
      <div className="design-schemes">
        {schemes.map((scheme) => (
          <section
            key={scheme}
            className={`design-scheme scheme-${scheme} stack loose`}
            aria-label={`${scheme} scheme`}
          >
            <h2>{scheme === 'light' ? 'Light' : 'Dark'}</h2>
            <DesignTokens />
            <DesignControls scheme={scheme} />
            <DesignStates />
            <DesignData scheme={scheme} />
          </section>
        ))}
      </div>
    </Page>
  );
}
