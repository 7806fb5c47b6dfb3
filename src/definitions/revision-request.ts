/**
 * A new revision as it is asked for. What its source has to be depends on the kind of its Definition, so the door only
 * sees to it that it is an object; shape and rules are judged here together, so that an author hears of all problems at
 * once. Source: contract 3, `DefinitionSource`.
 */
import { Kind, type TSchema, Type, TypeRegistry } from '@sinclair/typebox'
import { type Issue, invalid } from '../http/errors.ts'
import { inspector } from '../http/validation.ts'
import { entityIssues } from './entity-rules.ts'
import { isObject, issuesMax, type Loose } from './loose.ts'
import { operationsIssues } from './operations-rules.ts'
import type { DefinitionSource } from './source.ts'
import { type DefinitionKind, definitionKinds, Source, sourceSchemas } from './source-schema.ts'
import { workflowIssues } from './workflow-rules.ts'

const pathLengthMax = 200

export interface RevisionRequest {
  source: DefinitionSource
}

TypeRegistry.Set<TSchema>('JudgedByKind', (_, value) => isObject(value))

/** The body for the door and the API document. */
export const NewRevision = Type.Unsafe<RevisionRequest>({
  ...Type.Object({ source: Source }, { description: 'What the Definition says from now on.' }),
  [Kind]: 'JudgedByKind',
  fault: 'Must be an object.',
})

const inspectShape = Object.fromEntries(
  definitionKinds.map((kind) => [kind, inspector(Type.Object({ source: sourceSchemas[kind] }), '/body', issuesMax)]),
) as Record<DefinitionKind, (value: unknown) => Issue[]>

const rules: Record<DefinitionKind, (source: Loose, path: string, fits: boolean) => Promise<Issue[]>> = {
  operations: operationsIssues,
  workflow: workflowIssues,
  entity: entityIssues,
}

/** The source, if all of it is valid. Throws `validation_failed` (422) with every problem, up to a hundred. */
export async function judged(kind: DefinitionKind, body: RevisionRequest): Promise<DefinitionSource> {
  const source: unknown = body.source
  const misfits = inspectShape[kind](body)
  const fits = misfits.length === 0
  const issues = [...misfits, ...(isObject(source) ? await rules[kind](source, '/body/source', fits) : [])]
  if (issues.length > 0) throw invalid(oncePerPath(issues).slice(0, issuesMax))
  return body.source
}

function oncePerPath(issues: readonly Issue[]): Issue[] {
  const byPath = new Map<string, Issue>()
  for (const { path, message } of issues) {
    const shown = path.slice(0, pathLengthMax)
    if (!byPath.has(shown)) byPath.set(shown, { path: shown, message })
  }
  return [...byPath.values()]
}
