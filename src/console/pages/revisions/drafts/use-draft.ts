/** The draft of the next revision of an Agent or Definition, saved while it is edited. */
import { useEffect, useState } from 'react'
import { readJson } from '../../../../platform/http/body/json-lines.ts'
import { useSession } from '../../../session/session.ts'
import { textOf } from '../../../ui/text/json-text.ts'
import { usePlace } from '../../../use-place.ts'
import type { Revision } from '../revised.ts'
import { draftAt, draftKey, dropDraft, type KeptDraft, keepDraft } from './kept-drafts.ts'

const useKey = (thingId: string): string => {
  const { session } = useSession()
  return draftKey(session.user.id, usePlace().organization, thingId)
}

export interface KeptState {
  /** Initial text: the saved draft, else the latest revision. */
  text: string
  /** The same, parsed; undefined for invalid JSON. */
  value: unknown
  /** Time of the restored draft; undefined if none was saved. */
  restoredAt: number | undefined
  /** The revision on which the draft is based, if a newer one has been published; 0 for none. */
  behind: number | undefined
  /** The draft as another tab has changed it since. */
  elsewhere: KeptDraft | undefined
  /** False if the browser cannot save the draft. */
  isKept: boolean
  keep(text: string): void
  discard(): void
}

/** Read once, when the editor opens; from then on the editor owns the text. */
export function useDraft(
  thingId: string,
  latest: Pick<Revision, 'id' | 'number'> | undefined,
  begin: unknown,
): KeptState {
  const key = useKey(thingId)
  const [kept, setKept] = useState(() => draftAt(key))
  const [elsewhere, setElsewhere] = useState<KeptDraft>()
  const [isKept, setIsKept] = useState(true)
  const [first] = useState(() => {
    const text = kept?.text ?? textOf(begin)
    return { text, value: kept ? readJson(text).value : begin }
  })
  useEffect(() => {
    const note = (event: StorageEvent) => {
      if (event.key === key && event.newValue !== null) setElsewhere(draftAt(key))
    }
    window.addEventListener('storage', note)
    return () => window.removeEventListener('storage', note)
  }, [key])

  const base = { baseId: latest?.id ?? null, baseNumber: latest?.number ?? 0 }
  return {
    ...first,
    restoredAt: kept?.at,
    behind: kept && kept.baseId !== base.baseId ? kept.baseNumber : undefined,
    elsewhere,
    isKept,
    keep(text) {
      setElsewhere(undefined)
      // a draft equal to the revision need not be saved
      if (text === textOf(begin)) return dropDraft(key)
      const { baseId, baseNumber } = kept ?? base
      setIsKept(keepDraft(key, { text, baseId, baseNumber, at: Date.now() }))
    },
    discard() {
      dropDraft(key)
      setKept(undefined)
      setElsewhere(undefined)
    },
  }
}

/** Whether there is a draft to continue. */
export const useHasDraft = (thingId: string): boolean => draftAt(useKey(thingId)) !== undefined
