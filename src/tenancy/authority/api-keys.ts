/** API keys as credentials. Source: requirement 5; contract 1, "API key". */

import type { Store } from '../../../storage/store.ts'
import { type FoundKey, findApiKey, findApiKeyById, noteApiKeyUse } from '../../../storage/tenancy/api-keys.ts'
import { listGrantsOfUser } from '../../../storage/tenancy/grants.ts'
import { RecentlyUsed } from '../../platform/cache.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import type { Permission } from '../../platform/http/guard/permissions.ts'
import type { Logger } from '../../platform/operating/logger.ts'
import { hashSecret } from '../../platform/secrets/tokens.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { isWellFormed } from '../api-keys/secret.ts'
import type { Answer } from './answers.ts'
import { grantsOf } from './grants.ts'
import { authorityOf } from './roles.ts'

/** `lastUsedAt` is written at most once in this time. */
const useNotedMs = 60_000

/** The one form of a bearer token; two headers that were joined by a comma do not have it. */
const bearer = /^Bearer +([A-Za-z0-9\-._~+/]+=*)$/i

/** Whether all that authority follows from is the same. A key that is over is never remembered, but by its time. */
const isSameKey = (one: FoundKey, other: FoundKey): boolean =>
  one.status === other.status &&
  one.role === other.role &&
  one.operations === other.operations &&
  one.slug === other.slug &&
  one.organization_status === other.organization_status &&
  one.created_by === other.created_by

export class ApiKeyCredentials {
  /** Keys as they were when they were asked about again: one that is as it was is not read anew. */
  readonly #asked = new RecentlyUsed<{ key: FoundKey; caller: Caller }>(20_000)

  constructor(private readonly parts: { store: Store; clock: Pick<Clock, 'now'>; logger: Pick<Logger, 'warn'> }) {}

  /** The secret in the header; undefined when it holds none. */
  secretIn(authorization: string): string | undefined {
    return bearer.exec(authorization)?.[1]
  }

  /** Whether this can be a secret at all; one that is mistyped costs no look-up. */
  isWellFormed(secret: string): boolean {
    return isWellFormed(secret)
  }

  /** Who calls with this secret; undefined for a key that is unknown, expired, revoked, or of somebody who has left. */
  async find(secret: string): Promise<Answer<Caller> | undefined> {
    const { store, clock } = this.parts
    const now = clock.now()
    const key = await store.first(findApiKey(store, { secretHash: hashSecret(secret) }))
    const answer = await this.#answer(key, now)
    if (answer && now - (key?.last_used_at ?? 0) >= useNotedMs) this.#noteUse(answer.known.credentialId, now)
    return answer
  }

  /** The same by the key's id, for what the key has opened; asking so is no use of the key. */
  async again(id: string): Promise<Answer<Caller> | undefined> {
    const { store, clock } = this.parts
    const key = await store.first(findApiKeyById(store, { id }))
    const known = this.#asked.get(id)
    if (key && known && isSameKey(key, known.key)) return { known: known.caller, endsAt: key.expires_at }
    const answer = await this.#answer(key, clock.now())
    // the authority of members depends on their grants besides
    if (key && answer && key.role !== 'member') this.#asked.set(id, { key, caller: answer.known })
    return answer
  }

  async #answer(key: FoundKey | undefined, now: number): Promise<Answer<Caller> | undefined> {
    const { store } = this.parts
    if (!key || key.expires_at <= now || key.status !== 'active') return undefined
    const { organization_id: organizationId, created_by: userId, role } = key
    const operations = new Set(JSON.parse(key.operations) as Permission[])
    // only a member's authority depends on grants: the other roles have it all
    const grants = role === 'member' ? await store.all(listGrantsOfUser(store, { organizationId, userId })) : []
    const caller: Caller = {
      principal: { type: 'apiKey', id: key.id },
      credentialId: key.id,
      userId,
      organizationId,
      organization: { slug: key.slug, status: key.organization_status },
      role,
      ...authorityOf(role, grantsOf(grants), operations),
      scope: { projectId: key.project_id, environmentId: key.environment_id, agentId: key.agent_id },
      csrfToken: null,
    }
    return { known: caller, endsAt: key.expires_at }
  }

  /** Nobody waits for it, and nobody is refused when it fails. */
  #noteUse(keyId: string, at: number): void {
    const { store, logger } = this.parts
    store
      .commit([noteApiKeyUse(store, { id: keyId, at, unlessAfter: at - useNotedMs })])
      .catch((error: unknown) => logger.warn({ keyId, err: error }, 'the last use of an API key was not noted'))
  }
}
