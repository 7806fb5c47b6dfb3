/**
 * Drafts of revisions, kept by this browser for each person, organization and thing, so that a refresh or a closed tab loses
 * nothing. Bounded: in size, number and age.
 */

export interface KeptDraft {
  text: string
  /** The revision that the draft began with; null: none had been published. */
  baseId: string | null
  /** Its number; 0 for none. */
  baseNumber: number
  /** When it was last changed, in epoch milliseconds. */
  at: number
}

export const textMax = 300_000
export const draftsMax = 20
export const ageMaxMs = 30 * 86_400_000

const prefix = 'troupe.draft.'

export const draftKey = (userId: string, organization: string, thingId: string): string =>
  `${prefix}${userId}.${organization}.${thingId}`

function parse(text: string | null, now: number): KeptDraft | undefined {
  if (text === null) return undefined
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null) return undefined
    const { text: kept, baseId, baseNumber, at } = value as KeptDraft
    const isDraft =
      typeof kept === 'string' &&
      (baseId === null || typeof baseId === 'string') &&
      typeof baseNumber === 'number' &&
      typeof at === 'number'
    return isDraft && now - at < ageMaxMs ? { text: kept, baseId, baseNumber, at } : undefined
  } catch {
    return undefined
  }
}

/** What is kept under a key of storage; undefined for nothing, for what is too old, and without storage. */
export function draftAt(key: string, now = Date.now()): KeptDraft | undefined {
  try {
    return parse(localStorage.getItem(key), now)
  } catch {
    return undefined
  }
}

export function dropDraft(key: string): void {
  try {
    localStorage.removeItem(key)
  } catch {
    // without storage there is none
  }
}

/** Drafts beyond the newest ones, and those that are too old, make room. */
function makeRoom(key: string, now: number): void {
  const others = Object.keys(localStorage).filter((name) => name.startsWith(prefix) && name !== key)
  const kept = others.flatMap((name) => {
    const draft = draftAt(name, now)
    if (draft) return [{ name, at: draft.at }]
    localStorage.removeItem(name)
    return []
  })
  const tooMany = kept.sort((one, other) => other.at - one.at).slice(draftsMax - 1)
  for (const { name } of tooMany) localStorage.removeItem(name)
}

/** False when the browser cannot keep it: it is too long, or there is no room. */
export function keepDraft(key: string, draft: KeptDraft): boolean {
  if (draft.text.length > textMax) {
    dropDraft(key)
    return false
  }
  try {
    makeRoom(key, draft.at)
    localStorage.setItem(key, JSON.stringify(draft))
    return true
  } catch {
    return false
  }
}
