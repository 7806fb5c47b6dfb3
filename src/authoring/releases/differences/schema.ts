/** The API shape of the differences between two Releases. Source: contract 3, "tells what differs, by name". */
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { Id, nullable, oneOf } from '../../../platform/http/schema.ts'

export const Difference = Type.Object(
  {
    path: Type.String({
      description: 'A JSON Pointer; members of a list that have a `name`, `bindingKey` or `id` stand under it.',
      examples: ['/tools/find_order/operation'],
    }),
    before: Type.Optional(Type.Unknown({ description: 'Absent if it did not exist before.' })),
    after: Type.Optional(Type.Unknown({ description: 'Absent if it no longer exists.' })),
    shortened: Type.Boolean({
      description:
        'Whether a value has more than 500 characters of JSON and is shortened, or the credential may not read the ' +
        'values, and both are left out.',
    }),
  },
  { $id: 'Difference', description: 'One place where two contents differ.' },
)
export type Difference = Static<typeof Difference>

export const changes = ['added', 'removed', 'changed'] as const
export const Change = oneOf(changes, { description: 'What has become of it.' })
export const Differences = Type.Array(Difference, {
  description: 'Of a changed one; at most 100. Differences in order alone are not listed.',
})
export const ByName = (description: string) => Type.String({ description, examples: ['clerk'] })
export const Truncated = Type.Boolean({ description: 'Whether there are more differences.' })

const revisionNumber = nullable(
  Type.Integer({ minimum: 1, description: 'Its number; null where it has been deleted.' }),
)
const AgentSide = Type.Object({ agentId: Id('agt'), agentRevisionId: Id('agr'), number: revisionNumber })
const DefinitionSide = Type.Object({ definitionId: Id('def'), definitionRevisionId: Id('dfr'), number: revisionNumber })

/** The values before and after; null: absent. */
export const sides = <Side extends TSchema>(side: Side) => ({ before: nullable(side), after: nullable(side) })

const AgentChange = Type.Object(
  {
    name: ByName('Its slug, or its id where it has been deleted.'),
    change: Change,
    ...sides(AgentSide),
    differences: Differences,
    grants: Type.Object(
      { added: Type.Array(Type.String()), removed: Type.Array(Type.String()) },
      { description: 'Granted operations, of one that is changed and that the credential may read.' },
    ),
    delegates: Type.Array(
      Type.Object({
        name: Type.String({ description: 'The name of the delegate.', examples: ['researcher'] }),
        ...sides(ByName('The slug of the Agent behind it.')),
      }),
      { description: 'For a changed one: the delegates whose Agent differs.' },
    ),
  },
  { $id: 'AgentChange', description: 'An Agent that is not pinned as it was.' },
)
export type AgentChange = Static<typeof AgentChange>

const DefinitionChange = Type.Object(
  {
    name: ByName('Its name, or its id where it has been deleted.'),
    change: Change,
    ...sides(DefinitionSide),
    differences: Differences,
  },
  { $id: 'DefinitionChange', description: 'A Definition that is not pinned as it was.' },
)
export type DefinitionChange = Static<typeof DefinitionChange>

const ReleaseSide = Type.Object({ releaseId: Id('rel'), number: Type.Integer({ minimum: 1 }) })

export const ReleaseDiff = Type.Object(
  {
    before: ReleaseSide,
    after: ReleaseSide,
    agents: Type.Array(AgentChange, { description: 'The differing ones, by name.' }),
    definitions: Type.Array(DefinitionChange, { description: 'The differing ones, by name.' }),
    truncated: Truncated,
  },
  { $id: 'ReleaseDiff', description: 'The differences of a Release from the one it is compared with.' },
)
export type ReleaseDiff = Static<typeof ReleaseDiff>

export const AgainstRelease = Type.Object({
  against: Id('rel', 'The Release of the same Project to compare with: what was before.'),
})
