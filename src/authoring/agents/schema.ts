/** Agents and their revisions as the API shows them. Source: requirement 2, 4.9; contract 3. */
import { type Static, Type } from '@sinclair/typebox'
import { Description, Id, Name, nullable, oneOf, Slug, Timestamp } from '../../platform/http/schema.ts'
import { DeletionProgress } from '../../tenancy/deletions/progress.ts'
import { AgentContent } from './content.ts'

export const Agent = Type.Object(
  {
    id: Id('agt'),
    projectId: Id('prj'),
    slug: Type.String({ description: 'Unique in the Project.', examples: ['support-desk'] }),
    name: Type.String({ examples: ['Support desk'] }),
    description: nullable(Type.String()),
    status: oneOf(['active', 'deleting'], { description: 'Whether it is being deleted.' }),
    deletion: Type.Optional(DeletionProgress),
    latestRevisionId: nullable(Id('agr', 'The revision with the highest number; null before the first.')),
    createdAt: Timestamp(),
    updatedAt: Timestamp('When the name, the description or the latest revision changed.'),
  },
  { $id: 'Agent', description: 'The identity of an Agent; what it does is in its revisions.' },
)
export type Agent = Static<typeof Agent>

export const GrantedOperations = Type.Array(Type.String({ examples: ['agent-runs:get', 'orders.find'] }), {
  maxItems: 200,
  description: 'The grants of runs of the revision: permission names, and `<definition>.<operation>` for operations.',
})

export const AgentRevision = Type.Object(
  {
    id: Id('agr'),
    agentId: Id('agt'),
    number: Type.Integer({ minimum: 1, description: '1, 2, 3 … for each Agent.' }),
    content: AgentContent,
    contentDigest: Type.String({
      pattern: '^sha256:[0-9a-f]{64}$',
      description: 'SHA-256 of the RFC 8785 form of `content`.',
      examples: [`sha256:${'0'.repeat(64)}`],
    }),
    grantedOperations: GrantedOperations,
    createdBy: Type.Object({
      type: oneOf(['user', 'apiKey']),
      id: Type.String({ description: 'The id of that principal.' }),
    }),
    createdAt: Timestamp(),
  },
  { $id: 'AgentRevision', description: 'The immutable content of an Agent.' },
)
export type AgentRevision = Static<typeof AgentRevision>

export const AgentRevisionPreview = Type.Object(
  {
    contentDigest: {
      ...AgentRevision.properties.contentDigest,
      description: 'The digest that the revision would have.',
    },
    isLatest: Type.Boolean({ description: 'Whether the latest revision has the same content and the same grants.' }),
  },
  { $id: 'AgentRevisionPreview', description: "A preview of an Agent's revision." },
)
export type AgentRevisionPreview = Static<typeof AgentRevisionPreview>

export const NewAgent = Type.Object(
  {
    slug: Slug('Unique in the Project'),
    name: Name(),
    description: Type.Optional(Description()),
  },
  { $id: 'NewAgent', description: 'The identity of a new Agent.' },
)
export type NewAgent = Static<typeof NewAgent>

export const AgentChanges = Type.Object(
  {
    name: Type.Optional(Name()),
    description: Type.Optional(nullable(Description('Null removes it.'))),
  },
  { $id: 'AgentChanges', description: 'The fields to change; revisions are immutable.' },
)
export type AgentChanges = Static<typeof AgentChanges>
