/**
 * Bodies with rules that a schema cannot express. The guard only checks that the body is an object; shape and rules are
 * validated together, so that one answer reports all problems. Source: requirement 4.9; contract 3.
 */
import { Kind, type TObject, type TSchema, Type, TypeRegistry } from '@sinclair/typebox'
import { isObject } from '../../json.ts'
import { type Issue, invalid } from '../answers/errors.ts'

/** The most issues in an answer; validation stops there. */
export const issuesMax = 100
const pathLengthMax = 200

TypeRegistry.Set<TSchema>('JudgedLater', (_, value) => isObject(value))

/** The schema of such a body for the guard and the API document. */
export const deferredValidation = <Body>(schema: TObject) =>
  Type.Unsafe<Body>({ ...schema, [Kind]: 'JudgedLater', fault: 'Must be an object.' })

/** Throws `validation_failed` (422) with the first issue of each place, up to a hundred, if there are any. */
export function assertSound(issues: readonly Issue[]): void {
  if (issues.length === 0) return
  const byPath = new Map<string, Issue>()
  for (const { path, message } of issues) {
    const shown = path.slice(0, pathLengthMax)
    if (!byPath.has(shown)) byPath.set(shown, { path: shown, message })
  }
  throw invalid([...byPath.values()].slice(0, issuesMax))
}
