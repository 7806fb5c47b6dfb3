/** Manifests and their Applies: over HTTP, with the real server. */
import { expect } from 'bun:test'
import { systemClock } from '../../../src/platform/time/clock.ts'
import type { Client, Reply } from '../../support/client.ts'
import { eventually } from '../../support/process.ts'
import { echoOperation } from '../../support/world/places.ts'
import { data, type Loose } from '../../support/world/replies.ts'
import { openWorld } from '../../support/world/world.ts'

type Manifest = Loose

/** The terminal states. */
const ends = ['applied', 'failed', 'canceled']

let count = 0
/** A Project of one Agent with one operation, under a unique slug. */
export function manifestOf(changes: object = {}): Manifest {
  count += 1
  return {
    version: 1,
    project: { slug: `shop-${count}`, name: 'Shop' },
    definitions: { orders: { kind: 'operations', source: { operations: [echoOperation('find')] } } },
    agents: {
      clerk: {
        name: 'Clerk',
        content: {
          instructions: 'Answer what customers ask.',
          tools: [{ kind: 'operation', name: 'find', operation: 'orders.find' }],
        },
      },
    },
    ...changes,
  }
}

export async function openApplyWorld(environment: Record<string, string> = {}) {
  const world = await openWorld({
    clock: systemClock,
    environment: { TROUPE_RUNNER: 'none', TROUPE_ALLOW_PRIVATE_ADDRESSES: 'true', ...environment },
  })
  const { owner } = world
  const applies = {
    ...world,
    plan: (manifest: Manifest, more: object = {}, client: Client = owner): Promise<Loose> =>
      data(client.post('/api/v1/applies/plan', { manifest, environment: 'development', ...more })),
    begin: (manifest: Manifest, more: object = {}, client: Client = owner): Promise<Reply> =>
      client.post('/api/v1/applies', { manifest, environment: 'development', ...more }),
    get: (id: string): Promise<Loose> => data(owner.get(`/api/v1/applies/${id}`)),
    /** The Apply, once it has ended. */
    ended: (id: string): Promise<Loose> =>
      eventually('the end of the Apply', async () => {
        const apply = await applies.get(id)
        return ends.includes(apply.state) ? apply : undefined
      }),
    /** Applies the manifest, and fails the test if that fails. */
    async apply(manifest: Manifest, more: object = {}, client: Client = owner): Promise<Loose> {
      const { id } = await data(applies.begin(manifest, more, client))
      const apply = await applies.ended(id)
      expect({ state: apply.state, reason: apply.stateReason }).toEqual({ state: 'applied', reason: null })
      return apply
    },
    /** The changes of a plan, without what is unchanged: `create agent clerk`. */
    changesOf: ({ changes }: Loose): string[] =>
      changes
        .filter(({ action }: Loose) => action !== 'unchanged')
        .map(({ action, kind, name }: Loose) => `${action} ${kind} ${name}`),
    environmentsOf: (apply: Loose): Promise<Loose[]> =>
      data<Loose>(owner.get(`/api/v1/projects/${apply.projectId}/environments`)).then(({ items }) => items),
  }
  return applies
}
export type ApplyWorld = Awaited<ReturnType<typeof openApplyWorld>>
