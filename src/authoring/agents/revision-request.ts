/**
 * The request for a new revision. The guard checks its outline; this module validates its shape and its rules.
 * Source: requirement 4.9; contract 3.
 */
import { type Static, Type } from '@sinclair/typebox'
import { assertSound, deferredValidation, issuesMax } from '../../platform/http/validation/deferred-validation.ts'
import { inspector } from '../../platform/http/validation/validation.ts'
import { AgentContent } from './content.ts'
import { contentIssues, grantIssues } from './rules.ts'
import { GrantedOperations } from './schema.ts'

const Shape = Type.Object(
  { content: AgentContent, grantedOperations: Type.Optional(GrantedOperations) },
  { $id: 'NewAgentRevision', description: 'The new content of the Agent, and the grants of its runs.' },
)
export type RevisionRequest = Static<typeof Shape>

/** The body for the guard and the API document. */
export const NewRevision = deferredValidation<RevisionRequest>(Shape)

const inspectShape = inspector(Shape, '/body', issuesMax)

/** The request, if all of it is valid. Throws `validation_failed` (422) with every problem, up to a hundred. */
export async function validated(body: RevisionRequest, organizationId: string): Promise<Required<RevisionRequest>> {
  assertSound([
    ...inspectShape(body),
    ...(await contentIssues(body.content, '/body/content', organizationId)),
    ...grantIssues(body.grantedOperations, '/body/grantedOperations'),
  ])
  return { content: body.content, grantedOperations: body.grantedOperations ?? [] }
}
