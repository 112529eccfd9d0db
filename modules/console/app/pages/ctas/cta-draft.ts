import { useEffect, useMemo, useState } from 'react';
import { isEditable } from '../../../../cta/rules/lifecycle.ts';
import { call, isRefused, Refusal } from '../../api/call.ts';
import type { Output } from '../../api/calls.ts';
import { messageOf, useChange } from '../../api/queries.ts';
import { say } from '../../design/toast.tsx';
import { useMay } from '../../frame/organizations.ts';
import { useTyped } from '../../api/unsaved.ts';
import { documentOf, inputOf, isSame, parsed, textOf } from '../rule-editor/cta-document.ts';
import { mergedDocument } from '../rule-editor/document-merge.ts';
import { objectOf, without, withValue, type Json, type Path } from '../rule-editor/json-path.ts';
import { faultsOf, refusedFaults, unique, warningsOf, type Fault } from '../rule-editor/rule-faults.ts';
import { t } from '../../texts/text.ts';

type Cta = Output<'get-cta'>;

/** What the server refused: everything it said, and the places it named. */
interface Refused {
  readonly message: string;
  readonly faults: readonly Fault[];
}

/** A CTA as it is edited: the version with which it began, its JSON, and the last document that the JSON was. */
interface Edited {
  readonly cta: Cta;
  readonly text: string;
  readonly doc: Json;
}

const editedOf = (cta: Cta): Edited => {
  const doc = documentOf(cta);
  return { cta, text: textOf(doc), doc };
};

const isStored = (typed: Edited, base: Edited): boolean =>
  'doc' in parsed(typed.text) && isSame(typed.doc, base.doc);

/**
 * The changes of a person to a CTA that are not saved yet. The JSON text is the source of truth; the form and the diagram change the
 * document in it.
 */
export function useDraft(cta: Cta) {
  const form = useTyped(`cta:${cta.ctaId}`, () => editedOf(cta), isStored);
  const { typed, isDirty, type } = form;
  const { text, doc } = typed;
  const base = form.base.cta;
  const [refused, setRefused] = useState<Refused | null>(null);
  const [savedWarnings, setSavedWarnings] = useState<readonly Fault[]>([]);
  const mayWrite = useMay('member');
  const reading = useMemo(() => parsed(text), [text]);
  const jsonError = 'error' in reading ? reading.error : null;
  const show = (next: Cta, warned: readonly Fault[] = []) => {
    form.begin(editedOf(next));
    setRefused(null);
    setSavedWarnings(warned);
  };
  // A version stored by another person is shown at once, unless input would be lost.
  useEffect(() => {
    if (cta.version > base.version && !isDirty) show(cta);
  }, [cta, base.version, isDirty]);
  const { save, saveOver, isSaving, ...conflict } = useSaving({ doc, base, show, setRefused });
  /** With what somebody else stored meanwhile and this person left alone. */
  const mergedWith = (stored: Cta): Json => mergedDocument(documentOf(base), doc, documentOf(stored));

  const faults = useMemo(() => unique([...faultsOf(doc), ...(refused?.faults ?? [])]), [doc, refused]);
  const warnings = useMemo(() => unique([...warningsOf(doc), ...savedWarnings]), [doc, savedWarnings]);
  return {
    ...conflict,
    doc,
    text,
    setText: (next: string) => {
      setRefused(null);
      const result = parsed(next);
      type({ text: next, ...('doc' in result && { doc: result.doc }) });
    },
    jsonError,
    isDirty,
    /** The version that was changed. */
    version: base.version,
    // The response would overwrite input typed while saving.
    isReadOnly: !mayWrite || !isEditable(cta.status) || isSaving,
    change: (path: Path, value: unknown) => {
      const next = objectOf(value === undefined ? without(doc, path) : withValue(doc, path, value));
      setRefused(null);
      type({ doc: next, text: textOf(next) });
    },
    faults,
    warnings,
    refused: refused?.message ?? null,
    isSaving,
    save,
    mergedWith,
    /** Stores the changes in what somebody else stored meanwhile. @returns whether it was stored. */
    saveInto: (stored: Cta): Promise<boolean> => {
      const merged = mergedWith(stored);
      // If it is refused, the form shows what was refused.
      form.begin(editedOf(stored));
      type({ doc: merged, text: textOf(merged) });
      return saveOver(merged, stored.version);
    },
    /** Discards the changes and shows the stored version. */
    discard: () => show(cta),
    show,
  };
}

export type Draft = ReturnType<typeof useDraft>;

interface Saving {
  readonly doc: Json;
  readonly base: Cta;
  readonly show: (saved: Cta, warnings: readonly Fault[]) => void;
  readonly setRefused: (refused: Refused | null) => void;
}

/** Stores the changes, unless somebody else has stored another version meanwhile. */
function useSaving({ doc, base, show, setRefused }: Saving) {
  const [isConflict, setConflict] = useState(false);
  const update = useChange('update-cta');
  /** @param version the one to replace. @returns whether it was stored. */
  const saveOver = async (content: Json, version: number): Promise<boolean> => {
    setRefused(null);
    try {
      const { warnings, ...saved } = await update.mutateAsync(inputOf(content, base.ctaId, version));
      setConflict(false);
      show(saved, warnings);
      say(t('Version {version} was saved.', { version: saved.version }));
      return true;
    } catch (error) {
      const isBehind = isRefused(error, 'CONFLICT');
      setConflict(isBehind);
      if (!isBehind)
        setRefused({
          message: messageOf(error),
          faults: error instanceof Refusal ? refusedFaults(error.message, error.causeWord) : [],
        });
      return false;
    }
  };
  return {
    save: () => saveOver(doc, base.version),
    saveOver,
    isSaving: update.isPending,
    isConflict,
    closeConflict: () => setConflict(false),
  };
}

/**
 * Refuses to give apps a version of a CTA that the page does not show: once it was live, it is no draft any more.
 * @throws Refusal, by which the page shows the newest version.
 */
export async function requireShown({ ctaId, version }: Pick<Cta, 'ctaId' | 'version'>): Promise<void> {
  const stored = await call('get-cta', { ctaId });
  if (stored.version === version) return;
  const message = `${t('Somebody saved this CTA meanwhile')}. ${t('Look at what is stored now, then decide.')}`;
  throw new Refusal(409, { code: 'CTA_CHANGED', message });
}
