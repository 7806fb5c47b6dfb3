/**
 * Some operations take an API key and no session (cancelling a run: requirement 5.6). For them the console makes itself a key
 * with that one operation: it lives for an hour, in this tab's memory alone, and acts with the user's own permissions.
 */
import { type Api, sent } from './client.ts'

const lifeMs = 3_600_000
/** A key that ends so soon is not used any more. */
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
 * The options of a request with such a key. Rejects with `ApiFailure` when the user may not make keys.
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
