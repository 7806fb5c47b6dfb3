/** The draft of the next revision of one thing, kept while it is written. */
import { useEffect, useState } from 'react'
import { useSession } from '../../../session/session.ts'
import { readJson, textOf } from '../../../ui/text/json-text.ts'
import { usePlace } from '../../../use-place.ts'
import type { Revision } from '../revised.ts'
import { draftAt, draftKey, dropDraft, type KeptDraft, keepDraft } from './kept-drafts.ts'

const useKey = (thingId: string): string => {
  const { session } = useSession()
  return draftKey(session.user.id, usePlace().organization, thingId)
}

export interface KeptState {
  /** Text to begin with: the kept draft, or the latest revision. */
  text: string
  /** The same as a value; undefined for what is not JSON. */
  value: unknown
  /** When the draft that is shown was written; undefined where nothing was kept. */
  restoredAt: number | undefined
  /** The revision that the draft began with, where another one has been published since; 0: none had been. */
  behind: number | undefined
  /** What another tab has made of the draft since. */
  elsewhere: KeptDraft | undefined
  /** False: the browser cannot keep this one. */
  isKept: boolean
  keep(text: string): void
  discard(): void
}

/** Read once when the editor opens: what is typed from then on is the editor's. */
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
      // what says the same as the revision needs no keeping
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

/** Whether a draft waits to be gone on with. */
export const useHasDraft = (thingId: string): boolean => draftAt(useKey(thingId)) !== undefined
