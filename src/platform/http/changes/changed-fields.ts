/** What a request has changed, by the names of its fields. Source: contract 0, "Refusals"; 1, "Audit". */

type Fields = Record<string, unknown>

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A condition of the change, and nothing that it sets: `expectedGeneration`, a session's `csrfToken`. */
const isCondition = (name: string) => /^expected[A-Z]|^csrfToken$/.test(name)

/**
 * The names of the fields that the body gives and that have another value now, in order. `before` is what there was, as the
 * API shows it; without it something new was made, and all that was given is new. A field that is never shown (a secret)
 * has changed when it is given. Where the answer shows a field, its form there counts: `" x "` may have become `"x"`.
 */
export function changedFields(body: unknown, answer: unknown, before?: object): string[] {
  if (!isObject(body)) return []
  const names = Object.keys(body)
    .filter((name) => !isCondition(name))
    .sort()
  if (!before) return names
  const was = before as Fields
  const data = isObject(answer) && isObject(answer.data) ? answer.data : {}
  return names.filter((name) => !(name in was) || !Bun.deepEquals(name in data ? data[name] : body[name], was[name]))
}
