/**
 * The tokens of runner pools as credentials: who registers with a token, and whether a token was revoked since. Answers are
 * kept for two seconds at most, and forgotten as soon as a change is heard of. Source: contract 1, 5.
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

/** `lastUsedAt` is written at most once in this time. */
const useNotedMs = 60_000
const answersMax = 10_000

export interface RegistrationsParts {
  store: Store
  clock: Pick<Clock, 'now'>
  revocations: Pick<Revocations, 'listen' | 'isHearing'>
  logger: Pick<Logger, 'warn'>
}

/** As a credential whose answers are kept: a change names a token, or the pool that it went with. */
interface Known {
  organizationId: string | null
  userId: null
  credentialId: string
}

export class Registrations {
  readonly #registrations: Answers<Known & { registration: RunnerRegistration }>
  /** By token: there is an answer as long as it is not revoked. */
  readonly #standing: Answers<Known>
  /** When the use of the operator's token was last noted. */
  #operatorUsedAt = Number.NEGATIVE_INFINITY

  constructor(private readonly parts: RegistrationsParts) {
    const { clock, revocations } = parts
    const options = { clock, sizeMax: answersMax, isHearing: () => revocations.isHearing() }
    this.#registrations = new Answers(options)
    this.#standing = new Answers(options)
    revocations.listen((change) => {
      // a pool is not what answers are kept by, and its end is rare
      const forgotten: Change = change.credentialId?.startsWith('rpl_') ? {} : change
      this.#registrations.forget(forgotten)
      this.#standing.forget(forgotten)
    })
  }

  /** Who registers with this secret; undefined for a token that is unknown, expired or revoked. */
  async find(secret: string): Promise<RunnerRegistration | undefined> {
    if (!runnerSecrets.isWellFormed(secret)) return undefined
    const hash = hashSecret(secret)
    const known = this.#registrations.get(hash) ?? (await this.#registrations.ask(hash, () => this.#look(hash)))
    return known?.registration
  }

  /** Whether the token was revoked, or went with its pool. One that has expired was not. */
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

  /** Notes that the operator's token was used, which is not looked up here. */
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

  /** Nobody waits for it, and nobody is refused when it fails. */
  #noteUse(id: string, at: number): void {
    const { store, logger } = this.parts
    store
      .commit([noteRunnerTokenUse(store, { id, at, unlessAfter: at - useNotedMs })])
      .catch((error: unknown) =>
        logger.warn({ tokenId: id, err: error }, 'the last use of a runner token was not noted'),
      )
  }
}
