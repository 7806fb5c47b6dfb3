/** Connections by consent, with their tokens. */
import type { GrantTokens } from '../../../src/accounts/oauth/tokens.ts'
import { SecretUnavailable } from '../../../src/platform/secrets/unavailable.ts'
import { tokens } from './odd-provider.ts'
import type { World } from './world.ts'

/** The tokens of one turn: `access-1` and `refresh-1` for the first. */
export const given = (turn: number, more: object = {}) =>
  tokens({ access_token: `access-${turn}`, refresh_token: `refresh-${turn}`, expires_in: 3600, ...more })

let count = 0
/** Creates Connections whose tokens `one` uses, unless a test passes another. */
export const connecting = (world: World, one: GrantTokens) =>
  /** A new Connection whose first access token is `access-0` and whose refresh token is `refresh-0`. */
  async function connected(more: object = {}) {
    count += 1
    const account = `account-${count}`
    world.odd.userinfo = () => Response.json({ sub: account })
    world.odd.tokenAnswers = [() => given(0, more)]
    const end = await world.connectOddly()
    const connectionId = end.searchParams.get('connectionId')!
    const [row] = world.rows<{ id: string }>('select id from oauth_grants where connection_id = ?', connectionId)
    const reference = { organizationId: world.ours, grantId: row!.id }
    world.odd.tokenRequests.length = 0
    world.odd.tokenAnswers = [() => given(1)]
    return {
      connectionId,
      /** The access token, or why there is none. */
      reveal: (by: GrantTokens = one) =>
        by.reveal(reference).then(
          (secret) => secret.reveal(),
          (error: unknown) => (error instanceof SecretUnavailable ? error.reason : Promise.reject(error)),
        ),
      usable: (by: GrantTokens = one) =>
        by.assertUsable(reference).then(
          () => true,
          () => false,
        ),
      row: () => world.rows<Record<string, unknown>>('select * from oauth_grants where id = ?', row!.id)[0]!,
    }
  }

/** Advances the clock in small steps until the value resolves, so that running work gets its turns. */
export async function inTime<Value>(world: World, awaited: Promise<Value>): Promise<Value> {
  let isThere = false
  const noted = awaited.finally(() => {
    isThere = true
  })
  while (!isThere) {
    await Bun.sleep(1)
    world.clock.advance(20)
  }
  return noted
}
