import { Page } from '../../design/states.tsx';

export default function CtaPage({ ctaId }: { readonly ctaId: string }) {
  return <Page title="CTA">{ctaId}</Page>;
}
