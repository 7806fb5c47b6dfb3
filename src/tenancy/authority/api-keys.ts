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

/** The only accepted form of a bearer token; two headers joined by a comma do not match. */
const bearer = /^Bearer +([A-Za-z0-9\-._~+/]+=*)$/i

/** Whether everything that authority depends on is equal. Ended keys are cached only by time. */
const isSameKey = (one: FoundKey, other: FoundKey): boolean =>
  one.status === other.status &&
  one.role === other.role &&
  one.operations === other.operations &&
  one.slug === other.slug &&
  one.organization_status === other.organization_status &&
  one.created_by === other.created_by

export class ApiKeyCredentials {
  /** Keys by id from earlier revalidations: an unchanged key is not resolved again. */
  readonly #asked = new RecentlyUsed<{ key: FoundKey; caller: Caller }>(20_000)

  constructor(private readonly parts: { store: Store; clock: Pick<Clock, 'now'>; logger: Pick<Logger, 'warn'> }) {}

  /** The secret in the header; undefined if there is none. */
  secretIn(authorization: string): string | undefined {
    return bearer.exec(authorization)?.[1]
  }

  /** Whether the text has the form of a secret; a mistyped one costs no look-up. */
  isWellFormed(secret: string): boolean {
    return isWellFormed(secret)
  }

  /** The caller with this secret; undefined for a key that is unknown, expired, revoked, or of a user who left. */
  async find(secret: string): Promise<Answer<Caller> | undefined> {
    const { store, clock } = this.parts
    const now = clock.now()
    const key = await store.first(findApiKey(store, { secretHash: hashSecret(secret) }))
    const answer = await this.#answer(key, now)
    if (answer && now - (key?.last_used_at ?? 0) >= useNotedMs) this.#noteUse(answer.known.credentialId, now)
    return answer
  }

  /** The caller by the key's id, for open streams; does not count as a use. */
  async again(id: string): Promise<Answer<Caller> | undefined> {
    const { store, clock } = this.parts
    const key = await store.first(findApiKeyById(store, { id }))
    const known = this.#asked.get(id)
    if (key && known && isSameKey(key, known.key)) return { known: known.caller, endsAt: key.expires_at }
    const answer = await this.#answer(key, clock.now())
    // a member's authority also depends on grants
    if (key && answer && key.role !== 'member') this.#asked.set(id, { key, caller: answer.known })
    return answer
  }

  async #answer(key: FoundKey | undefined, now: number): Promise<Answer<Caller> | undefined> {
    const { store } = this.parts
    if (!key || key.expires_at <= now || key.status !== 'active') return undefined
    const { organization_id: organizationId, created_by: userId, role } = key
    const operations = new Set(JSON.parse(key.operations) as Permission[])
    // only members have grants: the other roles have all permissions of Projects
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

  /** Runs in the background; a failure affects no request. */
  #noteUse(keyId: string, at: number): void {
    const { store, logger } = this.parts
    store
      .commit([noteApiKeyUse(store, { id: keyId, at, unlessAfter: at - useNotedMs })], null)
      .catch((error: unknown) => logger.warn({ keyId, err: error }, 'the last use of an API key was not noted'))
  }
}
