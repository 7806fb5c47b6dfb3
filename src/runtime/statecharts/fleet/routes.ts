/** The fleet over HTTP. Source: contract 13, "Fleet". */
import { Elysia } from 'elysia'
import { doc } from '../../../platform/http/doc.ts'
import type { Naming } from '../../../platform/http/guard/find.ts'
import type { Guarded } from '../../../platform/http/guard/guarded.ts'
import { MachinePath } from '../schema.ts'
import { Fleet, type FleetParts } from './fleet.ts'
import { ActorsPage, ActorsQuery, PlaceQuery, Population } from './schema.ts'

const whose =
  'Covers the actors that the credential can read; requires the permission that reads an actor of the kind. A key that is ' +
  'bound to an Agent is rejected, because actors are not counted by Agent.'

export function fleetRoutes({ guarded, ...parts }: FleetParts & { guarded: Guarded }) {
  const fleet = new Fleet(parts)
  // the kind determines the required permission
  const access = { permission: 'agent-runs:get', orPermissions: [...new Set(fleet.permissions)] } as const
  const find = ({ params }: Naming<typeof MachinePath>) => fleet.shown(params.kind)

  return new Elysia({ name: 'fleet', prefix: '/api/v1', tags: ['Machines'] })
    .use(guarded)
    .get(
      '/machines/:kind/population',
      async ({ caller, params, query }) => ({ data: await fleet.population(caller, params.kind, query) }),
      {
        ...access,
        params: MachinePath,
        query: PlaceQuery,
        find,
        response: { 200: Population },
        detail: doc(
          'getMachinePopulation',
          'Count actors by state',
          `Read from counters, so it is fast at any size. ${whose}`,
        ),
      },
    )
    .get('/actors', ({ caller, query }) => fleet.list(caller, query), {
      ...access,
      query: ActorsQuery,
      response: { 200: ActorsPage },
      errors: ['invalid_cursor', 'not_found'],
      detail: doc(
        'listActors',
        'List actors of a kind',
        `The actors that have been in their state longest come first. ${whose}`,
      ),
    })
}
