/**
 * A refresh of the tokens of one grant: by the client that obtained them, and by one process at a time, whose turn is
 * noted in the store and ends by itself when the process does. Source: contract 4, "one refresher per Connection".
 */

import {
  claimRefresh,
  disableConnectionOf,
  endGrant,
  findOAuthGrant,
  noteFailedRefresh,
  replaceTokens,
} from '../../../storage/accounts/oauth-grants.ts'
import { DamagedRecord, StaleWrite, StoreUnavailable } from '../../../storage/errors.ts'
import { newId } from '../../../storage/ids.ts'
import type { Store } from '../../../storage/store.ts'
import type { OAuthGrantRow } from '../../../storage/tables.ts'
import type { AuditSink } from '../../platform/http/changes/audit-trail.ts'
import type { Logger } from '../../platform/operating/logger.ts'
import { SecretUnavailable } from '../../platform/secrets/unavailable.ts'
import type { Vault } from '../../platform/secrets/vault.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { pause } from '../../platform/time/pause.ts'
import type { ClientSecrets } from '../integrations/client-secrets.ts'
import type { Presets } from '../presets/catalogue.ts'
import { expiryOf, openTokens, sealTokens } from './grants.ts'
import type { Tokens } from './provider.ts'
import { ProviderFailure, type ProviderParts } from './provider-answer.ts'

interface RefreshParts {
  store: Store
  clock: Clock
  vault: Vault
  logger: Pick<Logger, 'warn'>
  provider: ProviderParts
  clients: Pick<ClientSecrets, 'reveal'>
  presets: Pick<Presets, 'find'>
  audit: Pick<AuditSink, 'write'>
}

/** Longer than a request to a provider can take. */
const turnMs = 20_000
/** The wait before checking again whether another process is done or the store is back. */
const lookMs = 200
/** Each takes about two seconds, so all of them end before the claim does. */
const storeTriesMax = 4

export const endedReason = 'The provider has ended the consent; connect the account again.'

export class Refreshes {
  constructor(private readonly parts: RefreshParts) {}

  /**
   * Resolves when these tokens have been replaced, or cannot be now: the reason is stored, and there is no further attempt for a while. Throws
   * `StoreUnavailable`.
   */
  async refresh(row: OAuthGrantRow): Promise<void> {
    const { store, clock } = this.parts
    const refresher = newId('req').slice(4)
    const now = clock.now()
    try {
      await store.commit([
        claimRefresh(store, { ...keyOf(row), refresher, ...turnAt(now), tokenVersion: row.token_version }),
      ])
    } catch (error) {
      if (!(error instanceof StaleWrite)) throw error
      return this.#awaitOther(row)
    }
    try {
      await this.#replace(row, await this.#ask(row))
    } catch (error) {
      await this.#failed(row, refresher, error)
    }
  }

  async #ask(row: OAuthGrantRow): Promise<Tokens> {
    const { vault, clients, provider, presets } = this.parts
    const preset = presets.find(row.preset_key)
    if (!preset) throw new ProviderFailure('unavailable', 'preset_gone')
    const client = await clients.reveal({
      organizationId: row.organization_id,
      integrationId: row.integration_id,
      version: row.integration_version,
    })
    const kept = await openTokens(vault, row)
    const { refreshTokens } = await import('./provider.ts')
    const tokens = await refreshTokens(provider, preset, client, kept.refreshToken ?? '')
    // a provider that does not rotate refresh tokens continues to accept the current one
    return { ...tokens, refreshToken: tokens.refreshToken ?? kept.refreshToken }
  }

  async #replace(row: OAuthGrantRow, tokens: Tokens): Promise<void> {
    const { store, vault, clock } = this.parts
    const at = clock.now()
    const nextVersion = row.token_version + 1
    const sealed = await sealTokens(vault, { ...row, token_version: nextVersion }, tokens)
    const replacing = [
      replaceTokens(store, {
        ...keyOf(row),
        ...sealed,
        tokenVersion: row.token_version,
        nextVersion,
        expiresAt: expiryOf(tokens, at),
        scopes: tokens.scopes ? JSON.stringify(tokens.scopes) : row.scopes,
        at,
      }),
    ]
    // the provider may take the old refresh token no more: a store that is away for a moment must not cost the consent
    for (let tries = 1; ; tries += 1) {
      try {
        return await store.commit(replacing)
      } catch (error) {
        if (!(error instanceof StoreUnavailable) || tries >= storeTriesMax) throw error
        await pause(this.parts.clock, lookMs)
      }
    }
  }

  /** Records why there are no new tokens. Unexpected errors are bugs and are rethrown. */
  async #failed(row: OAuthGrantRow, refresher: string, error: unknown): Promise<void> {
    // another process has replaced or ended them meanwhile
    if (error instanceof StaleWrite) return
    const { store, clock, logger } = this.parts
    const reason = reasonOf(error)
    logger.warn({ connectionId: row.connection_id, grantId: row.id, reason }, 'a consent was not refreshed')
    if (reason === 'invalid_grant') return this.#end(row, refresher)
    await store.commit([noteFailedRefresh(store, { ...keyOf(row), refresher, at: clock.now() })])
    if (reason === 'unexpected') throw error
  }

  /**
   * The consent is over, and the Connection with it, unless newer tokens or a newer consent are there by now, or another
   * process has the turn: it may have got new tokens for those that the provider refuses here.
   */
  async #end(row: OAuthGrantRow, refresher: string): Promise<void> {
    const { store, clock, audit } = this.parts
    const at = clock.now()
    try {
      await store.commit([
        endGrant(store, { ...keyOf(row), tokenVersion: row.token_version, refresher, at }),
        disableConnectionOf(store, { ...keyOf(row), reason: endedReason, at }),
        audit.write({
          organizationId: row.organization_id,
          actor: { type: 'server', id: 'oauth' },
          ip: null,
          operation: 'refreshOAuthConnection',
          resource: { type: 'connection', id: row.connection_id },
          outcome: 'failed',
          requestId: newId('req', at),
          requestIdFrom: 'server',
          changed: ['status', 'statusReason'],
        }),
      ])
    } catch (error) {
      if (!(error instanceof StaleWrite)) throw error
    }
  }

  /** Waits for the process whose turn it is, as long as the old token does not serve. */
  async #awaitOther({ expires_at, token_version, ...row }: OAuthGrantRow): Promise<void> {
    const { store, clock } = this.parts
    const start = clock.now()
    while (expires_at !== null && expires_at <= clock.now() && clock.now() - start < turnMs) {
      await pause(this.parts.clock, lookMs)
      const found = await store.first<OAuthGrantRow>(findOAuthGrant(store, keyOf(row)))
      if (!found || found.token_version !== token_version || found.refresher === null) return
    }
  }
}

/** A claim beyond `tooFar` was made by a clock that was wrong. */
const turnAt = (now: number) => ({ now, until: now + turnMs, tooFar: now + 3 * turnMs })

const keyOf = ({ id, organization_id }: Pick<OAuthGrantRow, 'id' | 'organization_id'>) => ({
  organizationId: organization_id,
  grantId: id,
})

function reasonOf(error: unknown): string {
  if (error instanceof ProviderFailure) return error.reason
  if (error instanceof SecretUnavailable) return `client_${error.reason}`
  return error instanceof DamagedRecord ? 'damaged_record' : 'unexpected'
}
