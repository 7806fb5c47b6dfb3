/** The names of the fields that a request changed. Source: contract 0, "Refusals"; 1, "Audit". */
import { isObject } from '../../json.ts'

type Fields = Record<string, unknown>

/** A condition of the change rather than a new value: `expectedGeneration`, a session's `csrfToken`. */
const isCondition = (name: string) => /^expected[A-Z]|^csrfToken$/.test(name)

/**
 * The fields in the body whose value changed, in order. `before` is the resource as the API showed it; without it the
 * resource is new and all given fields count. A field that is never shown (a secret) counts when given. Values are compared
 * as the answer shows them, because `" x "` may have become `"x"`.
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
