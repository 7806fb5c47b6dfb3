/**
 * Authenticates runner tokens and reports revocations. Answers are cached for at most two seconds and dropped on a
 * change. Source: contract 1, 5.
 */
import { operatorTokenId } from '../../../storage/runs/first-runner-pool.ts'
import { findRegistration, noteRunnerTokenUse, runnerTokenStatus } from '../../../storage/runs/runner-tokens.ts'
import type { Store } from '../../../storage/store.ts'
import type { RunnerRegistration } from '../../platform/http/guard/caller.ts'
import type { Logger } from '../../platform/operating/logger.ts'
import { hashSecret } from '../../platform/secrets/tokens.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { Answers } from '../../tenancy/authority/answers.ts'
import type { Change, Revocations } from '../../tenancy/authority/revocations.ts'
import { runnerSecrets } from './secret.ts'

/** The minimum interval between two writes of `lastUsedAt`. */
const useNotedMs = 60_000
const answersMax = 10_000

interface RegistrationsParts {
  store: Store
  clock: Pick<Clock, 'now'>
  revocations: Pick<Revocations, 'listen' | 'isHearing'>
  logger: Pick<Logger, 'warn'>
}

/** A cache key: changes name a token or its pool. */
interface Known {
  organizationId: string | null
  userId: null
  credentialId: string
}

export class Registrations {
  readonly #registrations: Answers<Known & { registration: RunnerRegistration }>
  /** Cached tokens that are not revoked. */
  readonly #standing: Answers<Known>
  /** The last write of the operator token's use. */
  #operatorUsedAt = Number.NEGATIVE_INFINITY

  constructor(private readonly parts: RegistrationsParts) {
    const { clock, revocations } = parts
    const options = { clock, sizeMax: answersMax, isHearing: () => revocations.isHearing() }
    this.#registrations = new Answers(options)
    this.#standing = new Answers(options)
    revocations.listen((change) => {
      // answers are cached by token, and the deletion of a pool is rare: drop all
      const forgotten: Change = change.credentialId?.startsWith('rpl_') ? {} : change
      this.#registrations.forget(forgotten)
      this.#standing.forget(forgotten)
    })
  }

  /** The registration of this secret; undefined if the token is unknown, expired or revoked. */
  async find(secret: string): Promise<RunnerRegistration | undefined> {
    if (!runnerSecrets.isWellFormed(secret)) return undefined
    const hash = hashSecret(secret)
    const known = this.#registrations.get(hash) ?? (await this.#registrations.ask(hash, () => this.#look(hash)))
    return known?.registration
  }

  /** Whether the token was revoked or deleted with its pool; false for an expired token. */
  isRevoked(tokenId: string): boolean | Promise<boolean> {
    if (tokenId === operatorTokenId || this.#standing.get(tokenId)) return false
    return this.#standing
      .ask(tokenId, async () => {
        const { store } = this.parts
        const row = await store.first(runnerTokenStatus(store, { id: tokenId }))
        if (row?.status !== 'active') return undefined
        return {
          known: { organizationId: null, userId: null, credentialId: tokenId },
          endsAt: Number.POSITIVE_INFINITY,
        }
      })
      .then((known) => known === undefined)
  }

  /** Records a use of the operator's token, which `find` does not see. */
  noteOperatorUse(): void {
    const now = this.parts.clock.now()
    if (now - this.#operatorUsedAt < useNotedMs) return
    this.#operatorUsedAt = now
    this.#noteUse(operatorTokenId, now)
  }

  async #look(secretHash: string) {
    const { store, clock } = this.parts
    const now = clock.now()
    const row = await store.first(findRegistration(store, { secretHash }))
    if (row?.status !== 'active' || (row.expires_at ?? Number.POSITIVE_INFINITY) <= now) return undefined
    if (now - (row.last_used_at ?? 0) >= useNotedMs) this.#noteUse(row.id, now)
    const { id: tokenId, pool_id: poolId, organization_id: organizationId } = row
    const endsAt = row.expires_at ?? Number.POSITIVE_INFINITY
    const registration: RunnerRegistration = { poolId, organizationId, tokenId, endsAt }
    return { known: { organizationId, userId: null, credentialId: tokenId, registration }, endsAt }
  }

  /** Runs in the background; a failure is only logged. */
  #noteUse(id: string, at: number): void {
    const { store, logger } = this.parts
    store
      .commit([noteRunnerTokenUse(store, { id, at, unlessAfter: at - useNotedMs })], null)
      .catch((error: unknown) =>
        logger.warn({ tokenId: id, err: error }, 'the last use of a runner token was not recorded'),
      )
  }
}
