/** What a form changed: saving only that keeps what others have changed since the form was opened. */
import { useState } from 'react'

/** The fields that differ from those that the form showed first. */
export function changedFields<Fields extends object>(shown: object, fields: Fields): Partial<Fields> {
  const before: Record<string, unknown> = { ...shown }
  const changed = Object.entries(fields).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]),
  )
  return Object.fromEntries(changed) as Partial<Fields>
}

/**
 * Of a form that stays open: the fields that differ from those that it showed first, or has saved since. A refetch
 * meanwhile changes neither them nor what is typed.
 */
export function useSavedFields<Fields extends object>(
  first: Fields,
  save: (changed: Partial<Fields>) => Promise<unknown>,
): (fields: Fields) => Promise<void> {
  const [saved, setSaved] = useState(first)
  return async (fields) => {
    if ((await save(changedFields(saved, fields))) !== undefined) setSaved(fields)
  }
}
