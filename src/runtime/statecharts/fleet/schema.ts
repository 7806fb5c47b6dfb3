/** The shapes of the fleet. Source: contract 13, "Fleet". */
import { Type } from '@sinclair/typebox'
import { pageQuery } from '../../../platform/http/pagination.ts'
import { dataOf, Id, idFilter, nullable, pageOf, Timestamp } from '../../../platform/http/schema.ts'

const state = Type.String({ description: 'A state of the statechart.', examples: ['running'] })
const seconds = (description: string) =>
  nullable(Type.Number({ minimum: 0, description: `${description} null until one has left it.` }))

export const PlaceQuery = Type.Object({
  projectId: idFilter('prj', 'Actors in this Project.'),
  environmentId: idFilter('env', 'Actors in this Environment.'),
})

export const Population = dataOf(
  Type.Object(
    {
      states: Type.Array(
        Type.Object({
          state,
          count: Type.Integer({ minimum: 0, description: 'The number of actors in it.' }),
          oldestSince: nullable(
            Timestamp('When the actor that has been in the state longest entered it; null if none is in it.'),
          ),
          secondsInState: Type.Object(
            { p50: seconds('Half of them took no longer.'), p95: seconds('95 in a hundred took no longer.') },
            { description: 'The time that the last 1,000 actors spent in the state.' },
          ),
        }),
        { description: 'Every state of the statechart, also empty ones; of entities those that some are in.' },
      ),
      takenAt: Timestamp('When the actors were counted.'),
    },
    { $id: 'MachinePopulation', description: 'The number of actors of a kind in each state.' },
  ),
)

export const ActorsQuery = Type.Object({
  kind: Type.String({ minLength: 1, maxLength: 64, description: 'The kind of actor.', examples: ['run'] }),
  state: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'Those in this state.' })),
  olderThanSeconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 1_000_000_000,
      description: 'Only actors that entered their state at least this long ago.',
    }),
  ),
  ...PlaceQuery.properties,
  ...pageQuery.properties,
})

export const ActorsPage = pageOf(
  Type.Object(
    {
      kind: Type.String({ description: 'The kind of actor.', examples: ['run'] }),
      id: Type.String({ description: 'The id of the resource.' }),
      state,
      since: Timestamp('When it entered the state.'),
      projectId: nullable(Id('prj')),
      environmentId: nullable(Id('env')),
    },
    { $id: 'ActorSummary', description: 'An actor, in short.' },
  ),
)
