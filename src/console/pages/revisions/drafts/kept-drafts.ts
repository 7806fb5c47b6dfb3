/**
 * Drafts of revisions, stored in this browser per user, organization and resource, so that reloading or closing a tab loses
 * nothing. Bounded in size, number and age.
 */

export interface KeptDraft {
  text: string
  /** The revision on which the draft is based; null for none. */
  baseId: string | null
  /** Its number; 0 for none. */
  baseNumber: number
  /** Time of the last change, in epoch milliseconds. */
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

/** The draft stored under a key; undefined if there is none, if it is too old, and without storage. */
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
    // without storage there is no draft
  }
}

/** Removes drafts that are too old, and the oldest beyond the limit. */
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

/** Stores a draft; false if it is too long or storage is full. */
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
