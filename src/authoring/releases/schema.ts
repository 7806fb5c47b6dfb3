/** Releases as the API shows them. Source: requirement 1, "Delivery path"; contract 3. */
import { type Static, Type } from '@sinclair/typebox'
import { agentIdPattern, Description, Id, nullable, oneOf, Timestamp } from '../../platform/http/schema.ts'

const AgentPin = Type.Object(
  { agentId: Id('agt'), agentRevisionId: Id('agr') },
  { $id: 'AgentPin', description: 'An Agent as it is in one of its revisions.' },
)
const DefinitionPin = Type.Object(
  { definitionId: Id('def'), definitionRevisionId: Id('dfr') },
  { $id: 'DefinitionPin', description: 'A Definition as it is in one of its revisions.' },
)
const delegateName = Type.String({
  pattern: '^[a-zA-Z0-9_-]{1,64}$',
  description: 'The name of a delegate in the content of the Agent.',
  examples: ['researcher'],
})
const delegateAgentId = Type.String({
  pattern: agentIdPattern,
  description: 'The Agent behind the name: one that the Release pins, or a System Agent.',
  examples: ['agt_01h455vb4pex5vsknk084sn02q'],
})
const DelegateAttachment = Type.Object(
  { agentId: Id('agt', 'The Agent that hands work on.'), name: delegateName, delegateAgentId },
  { $id: 'DelegateAttachment', description: 'Which Agent takes on the work that is handed to a delegate.' },
)
export type DelegateAttachment = Static<typeof DelegateAttachment>

export const Release = Type.Object(
  {
    id: Id('rel'),
    projectId: Id('prj'),
    number: Type.Integer({ minimum: 1, description: '1, 2, 3 … for each Project.' }),
    agents: Type.Array(AgentPin, { description: 'The pinned revisions of Agents.' }),
    definitions: Type.Array(DefinitionPin, { description: 'The pinned revisions of Definitions.' }),
    delegateAttachments: Type.Array(DelegateAttachment, {
      description: 'All of them: those of the contents, and in their place those that were given.',
    }),
    description: nullable(Type.String()),
    digest: Type.String({
      pattern: '^sha256:[0-9a-f]{64}$',
      description: 'SHA-256 of the RFC 8785 form of `{agents, definitions, delegateAttachments}`.',
      examples: [`sha256:${'0'.repeat(64)}`],
    }),
    createdBy: Type.Object({
      type: oneOf(['user', 'apiKey']),
      id: Type.String({ description: 'The id of that principal.' }),
    }),
    createdAt: Timestamp(),
  },
  { $id: 'Release', description: 'A graph of exact revisions that fit together. It never changes.' },
)
export type Release = Static<typeof Release>

export const NewRelease = Type.Object(
  {
    agents: Type.Array(AgentPin, { minItems: 1, maxItems: 100, description: 'At least one; each Agent once.' }),
    definitions: Type.Optional(Type.Array(DefinitionPin, { maxItems: 100, description: 'Each Definition once.' })),
    delegateAttachments: Type.Optional(
      Type.Array(DelegateAttachment, {
        maxItems: 1600,
        description: 'Only to replace the Agent that the content names.',
      }),
    ),
    description: Type.Optional(Description()),
  },
  { $id: 'NewRelease', description: 'The revisions to release together.' },
)
export type NewRelease = Static<typeof NewRelease>
