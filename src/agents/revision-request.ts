/**
 * A new revision as it is asked for. The door only sees to it that it is an object; the shape and what goes beyond it are
 * judged here together, so that an author hears of all problems at once. Source: requirement 4.9; contract 3.
 */
import { Kind, type Static, type TSchema, Type, TypeRegistry } from '@sinclair/typebox'
import { type Issue, invalid } from '../http/errors.ts'
import { inspector } from '../http/validation.ts'
import { AgentContent } from './content.ts'
import { contentIssues, grantIssues } from './rules.ts'
import { GrantedOperations } from './schema.ts'

const issuesMax = 100
const pathLengthMax = 200

const Shape = Type.Object(
  { content: AgentContent, grantedOperations: Type.Optional(GrantedOperations) },
  { description: 'What the Agent is from now on, and what its runs may do.' },
)
export type RevisionRequest = Static<typeof Shape>

TypeRegistry.Set<TSchema>(
  'JudgedLater',
  (_, value) => typeof value === 'object' && value !== null && !Array.isArray(value),
)

/** The body for the door and the API document. */
export const NewRevision = Type.Unsafe<RevisionRequest>({
  ...Shape,
  [Kind]: 'JudgedLater',
  fault: 'Must be an object.',
})

const inspectShape = inspector(Shape, '/body', issuesMax)

/** The request, if all of it is valid. Throws `validation_failed` (422) with every problem, up to a hundred. */
export async function judged(body: RevisionRequest): Promise<Required<RevisionRequest>> {
  const issues = [
    ...inspectShape(body),
    ...(await contentIssues(body.content, '/body/content')),
    ...grantIssues(body.grantedOperations, '/body/grantedOperations'),
  ]
  if (issues.length > 0) throw invalid(oncePerPath(issues).slice(0, issuesMax))
  return { content: body.content, grantedOperations: body.grantedOperations ?? [] }
}

function oncePerPath(issues: readonly Issue[]): Issue[] {
  const byPath = new Map<string, Issue>()
  for (const { path, message } of issues) {
    const shown = path.slice(0, pathLengthMax)
    if (!byPath.has(shown)) byPath.set(shown, { path: shown, message })
  }
  return [...byPath.values()]
}
