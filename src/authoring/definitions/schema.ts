/** Definitions and their revisions as the API shows them. Source: contract 3. */
import { type Static, Type } from '@sinclair/typebox'
import { Description, Id, nullable, oneOf, Timestamp } from '../../platform/http/schema.ts'
import { Machine } from '../../runtime/statecharts/schema.ts'
import { Word } from './shapes.ts'
import { definitionKinds, Source } from './source-schema.ts'

const name = Word('Unique in the Project.', 'orders')
const kind = oneOf(definitionKinds, { description: 'The content of its source, which is immutable.' })

export const Definition = Type.Object(
  {
    id: Id('def'),
    projectId: Id('prj'),
    name,
    kind,
    description: nullable(Type.String()),
    status: oneOf(['active', 'deleting'], { description: 'Whether it is being deleted.' }),
    latestRevisionId: nullable(Id('dfr', 'The revision with the highest number; null before the first.')),
    createdAt: Timestamp(),
    updatedAt: Timestamp('When the name, the description or the latest revision changed.'),
  },
  { $id: 'Definition', description: 'The identity of a Definition; what it says is in its revisions.' },
)
export type Definition = Static<typeof Definition>

export const DefinitionRevision = Type.Object(
  {
    id: Id('dfr'),
    definitionId: Id('def'),
    number: Type.Integer({ minimum: 1, description: '1, 2, 3 … for each Definition.' }),
    source: Source,
    sourceDigest: Type.String({
      pattern: '^sha256:[0-9a-f]{64}$',
      description: 'SHA-256 of the RFC 8785 form of `source`.',
      examples: [`sha256:${'0'.repeat(64)}`],
    }),
    createdBy: Type.Object({
      type: oneOf(['user', 'apiKey']),
      id: Type.String({ description: 'The id of that principal.' }),
    }),
    createdAt: Timestamp(),
  },
  { $id: 'DefinitionRevision', description: 'The immutable content of a Definition.' },
)
export type DefinitionRevision = Static<typeof DefinitionRevision>

/** Counting the entities in a state ends here. */
export const countedMax = 1_000

export const RevisionPreview = Type.Object(
  {
    sourceDigest: Type.String({ description: 'The digest that the revision would have.' }),
    isLatest: Type.Boolean({ description: 'Whether the latest revision has the same source.' }),
    machine: nullable(Machine.properties.data),
    stranded: nullable(
      Type.Array(
        Type.Object({
          environmentId: Id('env'),
          state: Type.String({ description: 'A state that the source does not have.' }),
          count: Type.Integer({
            minimum: 1,
            maximum: countedMax,
            description: 'The number of entities in it.',
          }),
          hasMore: Type.Boolean({ description: 'Whether there are more than were counted.' }),
        }),
        {
          description:
            'Entities in states that the source does not have. Once the revision is deployed, operations on them are ' +
            'refused with 409 until they are called through a Deployment whose revision has the state. null: the ' +
            'Definition is of another kind, or the credential may not read entities of the whole Project.',
        },
      ),
    ),
  },
  { $id: 'DefinitionRevisionPreview', description: "A preview of a Definition's source." },
)
export type RevisionPreview = Static<typeof RevisionPreview>

export const NewDefinition = Type.Object(
  { name, kind, description: Type.Optional(Description()) },
  { $id: 'NewDefinition', description: 'The identity of a new Definition.' },
)
export type NewDefinition = Static<typeof NewDefinition>

export const DefinitionChanges = Type.Object(
  {
    name: Type.Optional(name),
    description: Type.Optional(nullable(Description('Null removes it.'))),
  },
  { $id: 'DefinitionChanges', description: 'The fields to change; the kind and the revisions are immutable.' },
)
export type DefinitionChanges = Static<typeof DefinitionChanges>
