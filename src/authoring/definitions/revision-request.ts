/**
 * A new revision as it is asked for. What the guard takes is validated here: what its source has to be depends on the
 * kind of its Definition. Source: contract 3, `DefinitionSource`.
 */
import { Type } from '@sinclair/typebox'
import type { Issue } from '../../platform/http/answers/errors.ts'
import { assertSound, deferredValidation, issuesMax } from '../../platform/http/validation/deferred-validation.ts'
import { inspector } from '../../platform/http/validation/validation.ts'
import { isObject } from '../../platform/json.ts'
import { entityIssues } from './entity-rules.ts'
import type { Loose } from './loose.ts'
import { operationsIssues } from './operations-rules.ts'
import type { DefinitionSource } from './source.ts'
import { type DefinitionKind, definitionKinds, Operation, Source, sourceSchemas } from './source-schema.ts'
import { workflowIssues } from './workflows/rules.ts'

export interface RevisionRequest {
  source: DefinitionSource
}

/** The body for the guard and the API document. */
export const NewRevision = deferredValidation<RevisionRequest>(
  Type.Object({ source: Source }, { $id: 'NewDefinitionRevision', description: 'The new source of the Definition.' }),
)

const inspectShape = Object.fromEntries(
  definitionKinds.map((kind) => [kind, inspector(Type.Object({ source: sourceSchemas[kind] }), '/body', issuesMax)]),
) as Record<DefinitionKind, (value: unknown) => Issue[]>

/** The missing part of an operation's shape. */
export const operationShapeIssues: (operation: unknown) => Issue[] = inspector(Operation, '', issuesMax)

const rules: Record<
  DefinitionKind,
  (source: Loose, path: string, organizationId: string, fits: boolean) => Promise<Issue[]>
> = {
  operations: operationsIssues,
  workflow: workflowIssues,
  entity: entityIssues,
}

/** The source, if all of it is valid. Throws `validation_failed` (422) with every problem, up to a hundred. */
export async function validated(
  kind: DefinitionKind,
  body: RevisionRequest,
  organizationId: string,
): Promise<DefinitionSource> {
  const source: unknown = body.source
  const misfits = inspectShape[kind](body)
  const fits = misfits.length === 0
  assertSound([
    ...misfits,
    ...(isObject(source) ? await rules[kind](source, '/body/source', organizationId, fits) : []),
  ])
  return body.source
}
