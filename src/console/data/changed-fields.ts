/** What a form changed: saving only that keeps what others have changed since the form was opened. */

/** The fields that differ from those that the form showed first. */
export function changedFields<Fields extends object>(shown: object, fields: Fields): Partial<Fields> {
  const before: Record<string, unknown> = { ...shown }
  const changed = Object.entries(fields).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]),
  )
  return Object.fromEntries(changed) as Partial<Fields>
}
