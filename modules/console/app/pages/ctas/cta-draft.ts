import { useEffect, useMemo, useState } from 'react';
import { isEditable } from '../../../../cta/rules/lifecycle.ts';
import { Refusal } from '../../api/call.ts';
import type { Output } from '../../api/calls.ts';
import { messageOf, useChange, useRefresh } from '../../api/queries.ts';
import { say } from '../../design/toast.tsx';
import { useMay } from '../../frame/organizations.ts';
import { leftDraft, useKeptDraft } from '../../api/unsaved.ts';
import { documentOf, inputOf, isSame, parsed, textOf } from '../rule-editor/cta-document.ts';
import { objectOf, without, withValue, type Json, type Path } from '../rule-editor/json-path.ts';
import { faultsOf, refusedFaults, unique, warningsOf, type Fault } from '../rule-editor/rule-faults.ts';

type Cta = Output<'get-cta'>;

/** What the server refused: everything it said, and the places it named. */
interface Refused {
  readonly message: string;
  readonly faults: readonly Fault[];
}

/** Changes that were left without saving. */
interface Left {
  readonly base: Cta;
  readonly text: string;
  readonly doc: Json;
}

/**
 * The changes of a person to a CTA that are not saved yet. The text of the JSON is the whole truth; the form and the diagram
 * change the document that it holds.
 */
export function useDraft(cta: Cta) {
  const [before] = useState(() => leftDraft<Left>(`cta:${cta.ctaId}`));
  const [base, setBase] = useState(before?.base ?? cta);
  const [text, setText] = useState(() => before?.text ?? textOf(documentOf(cta)));
  const [doc, setDoc] = useState<Json>(() => before?.doc ?? documentOf(cta));
  const [refused, setRefused] = useState<Refused | null>(null);
  const [isConflict, setConflict] = useState(false);
  const [savedWarnings, setSavedWarnings] = useState<readonly Fault[]>([]);
  const update = useChange('update-cta');
  const refresh = useRefresh();
  const mayWrite = useMay('member');

  const reading = useMemo(() => parsed(text), [text]);
  const jsonError = 'error' in reading ? reading.error : null;
  const isDirty = jsonError !== null || !isSame(doc, documentOf(base));

  const show = (next: Cta) => {
    setBase(next);
    setDoc(documentOf(next));
    setText(textOf(documentOf(next)));
    setRefused(null);
    setConflict(false);
    setSavedWarnings([]);
  };
  const setDocument = (next: Json) => {
    setDoc(next);
    setText(textOf(next));
    setRefused(null);
  };
  // What another person stored is shown at once, unless something would be lost.
  useEffect(() => {
    if (cta.version > base.version && !isDirty) show(cta);
  }, [cta, base.version, isDirty]);
  const left: Left | null = useMemo(() => (isDirty ? { base, text, doc } : null), [isDirty, base, text, doc]);
  useKeptDraft(`cta:${cta.ctaId}`, left);

  /** @param version the one to replace: another than the one that was changed overwrites what others stored. @returns whether it was stored. */
  const save = async (version = base.version): Promise<boolean> => {
    setRefused(null);
    try {
      const { warnings, ...saved } = await update.mutateAsync(inputOf(doc, cta.ctaId, version));
      show(saved);
      setSavedWarnings(warnings);
      say(`Version ${saved.version} was saved.`);
      return true;
    } catch (error) {
      if (error instanceof Refusal && error.code === 'CONFLICT') {
        setConflict(true);
        void refresh();
      } else
        setRefused({
          message: messageOf(error),
          faults: error instanceof Refusal ? refusedFaults(error.message, error.causeWord) : [],
        });
      return false;
    }
  };

  const faults = useMemo(() => unique([...faultsOf(doc), ...(refused?.faults ?? [])]), [doc, refused]);
  const warnings = useMemo(() => unique([...warningsOf(doc), ...savedWarnings]), [doc, savedWarnings]);
  return {
    doc,
    text,
    setText: (typed: string) => {
      setText(typed);
      setRefused(null);
      const result = parsed(typed);
      if ('doc' in result) setDoc(result.doc);
    },
    jsonError,
    isDirty,
    /** The version that was changed. */
    version: base.version,
    // What is typed while it is being saved would be replaced by the answer.
    isReadOnly: !mayWrite || !isEditable(cta.status) || update.isPending,
    change: (path: Path, value: unknown) =>
      setDocument(objectOf(value === undefined ? without(doc, path) : withValue(doc, path, value))),
    faults,
    warnings,
    refused: refused?.message ?? null,
    isConflict,
    closeConflict: () => setConflict(false),
    isSaving: update.isPending,
    save,
    /** Drops the changes and shows what is stored. */
    discard: () => show(cta),
    show,
  };
}

export type Draft = ReturnType<typeof useDraft>;
