/**
 * Some operations accept only API keys (cancelling a run: requirement 5.6). For these the console creates a key limited to that
 * operation. It expires after an hour, is held in this tab's memory only, and acts with the user's own permissions.
 */
import { type Api, sent } from './client.ts'

const lifeMs = 3_600_000
/** A key this close to its expiry is replaced. */
const marginMs = 60_000

interface Held {
  secret: string
  expiresAt: number
}

const keys = new WeakMap<Api, Map<string, Promise<Held>>>()

const optionsWith = ({ secret }: Held, headers: Record<string, string>) => ({
  fetch: { headers: { ...headers, authorization: `Bearer ${secret}` } },
})

/**
 * Request options carrying such a key. Rejects with `ApiFailure` if the user may not create keys.
 *
 *     run.cancel.post(undefined, await withKey(api, 'agent-runs:cancel'))
 */
export async function withKey(api: Api, operation: string, headers: Record<string, string> = {}) {
  const held = keys.get(api) ?? new Map<string, Promise<Held>>()
  keys.set(api, held)
  const known = await held.get(operation)?.catch(() => undefined)
  if (known && known.expiresAt - marginMs > Date.now()) return optionsWith(known, headers)
  const making = makeKey(api, operation)
  held.set(operation, making)
  return optionsWith(await making, headers)
}

async function makeKey(api: Api, operation: string): Promise<Held> {
  const expiresAt = Date.now() + lifeMs
  const { data } = await sent(
    api.v1['api-keys'].post({
      name: `Console: ${operation}`,
      operations: [operation],
      expiresAt: new Date(expiresAt).toISOString(),
    }),
  )
  return { secret: data.secret, expiresAt }
}
