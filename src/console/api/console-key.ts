/**
 * Some operations accept only API keys (cancelling a run: requirement 5.6). For these the console creates a key limited to that
 * operation. It expires after an hour, is held in this tab's memory only, and acts with the user's own permissions.
 */
import { type Answer, type Api, sent } from './client.ts'

const lifeMs = 3_600_000
/** A key this close to its expiry is replaced. */
const marginMs = 60_000

interface Held {
  secret: string
  expiresAt: number
}

const keys = new WeakMap<Api, Map<string, Promise<Held>>>()

const heldBy = (api: Api): Map<string, Promise<Held>> => {
  const held = keys.get(api) ?? new Map<string, Promise<Held>>()
  keys.set(api, held)
  return held
}

const optionsWith = ({ secret }: Held) => ({ fetch: { headers: { authorization: `Bearer ${secret}` } } })

/** The key, created on first use. Rejects with `ApiFailure` if the user may not create keys. */
export async function keyFor(api: Api, operation: string): Promise<Held> {
  const held = heldBy(api)
  const known = await held.get(operation)?.catch(() => undefined)
  if (known && known.expiresAt - marginMs > Date.now()) return known
  const making = makeKey(api, operation)
  held.set(operation, making)
  return making
}

/**
 * Sends a request with such a key; with a new one if that was revoked, since users find it among their keys. Rejects as
 * `keyFor`.
 *
 *     byKey(api, 'agent-runs:cancel', (key) => run.cancel.post(undefined, key))
 */
export async function byKey<Answered extends Answer>(
  api: Api,
  operation: string,
  send: (options: ReturnType<typeof optionsWith>) => Promise<Answered>,
): Promise<Answered> {
  const key = await keyFor(api, operation)
  const answer = await send(optionsWith(key))
  if (answer.status !== 401) return answer
  const held = heldBy(api)
  if ((await held.get(operation)?.catch(() => undefined)) === key) held.delete(operation)
  return send(optionsWith(await keyFor(api, operation)))
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
