/** The Configuration Revisions that keep a Connection from being deleted. Source: requirement 4.3; contract 4. */
import { type CurrentConnection, listPinsOfConnection } from '../../../storage/delivery/connections.ts'
import type { Store } from '../../../storage/store.ts'
import type { ConfigurationRevisionRow } from '../../../storage/tables.ts'
import { ApiError } from '../../platform/http/answers/errors.ts'
import { nextTurn } from '../../platform/time/next-turn.ts'

/** Revisions that are looked through at a time. */
const revisionsAtOnce = 10

type PinningRevision = Pick<ConfigurationRevisionRow, 'id' | 'number'>

/**
 * The number of the newest Configuration Revision, after a look at all of them, a few at a time: there may be
 * thousands, and large ones. Throws `connection_retained` (409), which names the newest one that pins the Connection.
 */
export async function assertUnpinned(
  store: Store,
  { environment_id: environmentId, id, name }: CurrentConnection,
): Promise<number> {
  let seen = -1
  for (let before = Number.MAX_SAFE_INTEGER; ; ) {
    const values = { environmentId, id, before, limit: revisionsAtOnce }
    const rows = await store.all<PinningRevision & { pins: 0 | 1 }>(listPinsOfConnection(store, values))
    const pinning = rows.find(({ pins }) => pins === 1)
    if (pinning) throw retained(name, pinning)
    seen = Math.max(seen, rows[0]?.number ?? -1)
    if (rows.length < revisionsAtOnce) return seen
    before = rows.at(-1)!.number
    await nextTurn()
  }
}

const retained = (name: string, { id, number }: PinningRevision) =>
  new ApiError(
    409,
    'connection_retained',
    `Configuration Revision ${number} (${id}), which is immutable, contains the Connection ${name}; disable it instead.`,
    { details: { dependents: [{ type: 'configurationRevision', id, number }] } },
  )
