/** A server on a clock that is moved by hand, and a way past it into its store. */
import type { HandClock } from '../../runtime/statecharts/clock.ts'
import { openTroupe } from '../../support/troupe.ts'
import { Tenancy } from '../authority/tenancy.ts'

export const path = '/api/v1/api-keys'

export async function openWorld(clock: HandClock) {
  const troupe = await openTroupe({ clock, environment: { TROUPE_RATE_LIMIT_PER_MINUTE: '0' } })
  const tenancy = new Tenancy(troupe.file, () => clock.now())
  const organizationId = tenancy.all<{ id: string }>('select id from organizations')[0]?.id as string

  return {
    troupe,
    tenancy,
    /** The first one, which is the owner's. */
    organizationId,
    create: (body: object) => troupe.owner.post(path, { name: 'key', operations: ['agent-runs:list'], ...body }),
    async stop() {
      tenancy.close()
      await troupe.stop()
    },
  }
}

export type World = Awaited<ReturnType<typeof openWorld>>
