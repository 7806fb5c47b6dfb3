/** A server with a manual clock, and API keys of its owner. */
import type { HandClock } from '../../runtime/statecharts/clock.ts'
import { openWorld as openServer } from '../../support/world/world.ts'

export const path = '/api/v1/api-keys'

export async function openWorld(clock: HandClock) {
  const world = await openServer({ clock, environment: { TROUPE_RATE_LIMIT_PER_MINUTE: '0' } })
  return {
    ...world,
    troupe: world,
    organizationId: world.ours,
    create: (body: object) => world.owner.post(path, { name: 'key', operations: ['agent-runs:list'], ...body }),
  }
}

export type World = Awaited<ReturnType<typeof openWorld>>
