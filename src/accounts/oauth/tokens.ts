/**
 * The token of a consent, fresh when it is used. Who needs one that ends soon refreshes it: one at a time for each grant,
 * in this process by waiting for each other, between processes by taking turns in the store. New tokens are stored before
 * anybody uses them; while a refresh fails, the old token serves until it ends. Source: contract 4, "Tokens are refreshed
 * at use"; trust 2.4.
 */

import { type FoundGrant, findOAuthGrant } from '../../../storage/accounts/oauth-grants.ts'
import { DamagedRecord } from '../../../storage/errors.ts'
import type { Store } from '../../../storage/store.ts'
import { Secret } from '../../platform/operating/secret.ts'
import { SecretUnavailable } from '../../platform/secrets/unavailable.ts'
import type { Vault } from '../../platform/secrets/vault.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { type GrantReference, type KeptTokens, openTokens } from './grants.ts'
import type { Refreshes } from './refreshes.ts'

interface GrantTokensParts {
  store: Store
  clock: Clock
  vault: Vault
  refreshes: Pick<Refreshes, 'refresh'>
}

/** A token is refreshed when it lives no longer than this, or than this part of its life: a short one serves too. */
const marginMsMax = 5 * 60_000
const marginOfLife = 1 / 5
/** The wait after a failed refresh. */
const coolDownMs = 30_000
/** A time further ahead was noted by a clock that was wrong, not by that of another server. */
const aheadMsMax = 60_000

export class GrantTokens {
  readonly #underway = new Map<string, Promise<void>>()

  constructor(private readonly parts: GrantTokensParts) {}

  /** A token that can be used now. Throws `SecretUnavailable`: `missing`, `expired` or `unreadable`. */
  async reveal(reference: GrantReference): Promise<Secret> {
    const row = await this.#usable(reference)
    if (!this.#isDue(row)) return this.#accessToken(row)
    await this.#refreshOnce(reference, row)
    return this.#accessToken(await this.#usable(reference, 'alive'))
  }

  /** Without decryption or a request to the provider. Throws `SecretUnavailable`: `missing` or `expired`. */
  async assertUsable(reference: GrantReference): Promise<void> {
    await this.#usable(reference)
  }

  /** Without a request to the provider. Throws `SecretUnavailable`: `missing`, `expired` or `unreadable`. */
  async assertReadable(reference: GrantReference): Promise<void> {
    await this.#open(await this.#usable(reference))
  }

  /** A grant that has a token, or (unless it has to be `alive`) can get one. */
  async #usable(reference: GrantReference, wanted: 'alive' | 'renewable' = 'renewable'): Promise<FoundGrant> {
    const { store, clock } = this.parts
    const row = await store.first<FoundGrant>(findOAuthGrant(store, reference))
    if (!row) throw new SecretUnavailable(`The consent ${reference.grantId}`, 'missing')
    const isAlive = row.expires_at === null || row.expires_at > clock.now()
    const isUsable = isAlive || (wanted === 'renewable' && isRenewable(row))
    if (row.status !== 'active' || !isUsable) throw expired(row)
    return row
  }

  #isDue(row: FoundGrant): boolean {
    const { expires_at, updated_at, failed_at } = row
    const now = this.parts.clock.now()
    const isWrong = (at: number) => at > now + aheadMsMax
    if (expires_at === null || !isRenewable(row)) return false
    // the tokens are as old as the row's last change
    const marginMs = Math.min(marginMsMax, (expires_at - updated_at) * marginOfLife)
    if (expires_at - now > marginMs && !isWrong(updated_at)) return false
    return failed_at === null || failed_at + coolDownMs <= now || isWrong(failed_at)
  }

  /** Concurrent callers wait for the refresh that is in progress. */
  #refreshOnce({ grantId }: GrantReference, row: FoundGrant): Promise<void> {
    const underway = this.#underway.get(grantId)
    if (underway) return underway
    const refreshing = this.parts.refreshes.refresh(row).finally(() => this.#underway.delete(grantId))
    this.#underway.set(grantId, refreshing)
    return refreshing
  }

  async #accessToken(row: FoundGrant): Promise<Secret> {
    // in the cool-down a token that is over is none
    if (row.expires_at !== null && row.expires_at <= this.parts.clock.now()) {
      throw expired(row)
    }
    return new Secret((await this.#open(row)).accessToken)
  }

  async #open(row: FoundGrant): Promise<KeptTokens> {
    try {
      return await openTokens(this.parts.vault, row)
    } catch (error) {
      if (!(error instanceof DamagedRecord)) throw error
      throw new SecretUnavailable(nameOf(row), 'unreadable', { cause: error })
    }
  }
}

const nameOf = ({ connection_id }: FoundGrant) => `The consent of the Connection ${connection_id}`

/** Only the client that obtained the tokens can renew them. */
const isRenewable = ({ renewable, client_version_id }: FoundGrant) => renewable === 1 && client_version_id !== null

const expired = (row: FoundGrant) => new SecretUnavailable(nameOf(row), 'expired', { remedy: remedyOf(row) })

/** A consent that is over is pinned by Deployments until another one replaces it. */
function remedyOf(row: FoundGrant): string {
  if (row.client_version_id === null) {
    return 'Its integration was deleted: register the client again, connect the account, and deploy with the new Connection.'
  }
  if (row.status !== 'active' || !isRenewable(row)) {
    return 'Connect the account again, then deploy with credentials: current.'
  }
  return 'The provider has not renewed it; try again in a minute.'
}
