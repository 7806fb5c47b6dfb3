/** A store with an organization, its users and their keys; a manual clock; every access is counted. */

import type { Role } from '../../../src/platform/http/guard/caller.ts'
import { permissions } from '../../../src/platform/http/guard/permissions.ts'
import { hashSecret } from '../../../src/platform/secrets/tokens.ts'
import { newSecret, visiblePrefix } from '../../../src/tenancy/api-keys/secret.ts'
import { ApiKeyCredentials } from '../../../src/tenancy/authority/api-keys.ts'
import { type AuthenticatorOptions, RequestAuthenticator } from '../../../src/tenancy/authority/authenticator.ts'
import { EmbeddedRevocations } from '../../../src/tenancy/authority/revocations.ts'
import { SessionCredentials } from '../../../src/tenancy/authority/sessions.ts'
import { newId } from '../../../storage/ids.ts'
import type { Query, Store, Write } from '../../../storage/store.ts'
import type { ApiKeyRow } from '../../../storage/tables.ts'
import { insertApiKey } from '../../../storage/tenancy/api-keys.ts'
import { insertMembership, insertOrganization } from '../../../storage/tenancy/organizations.ts'
import { insertSession } from '../../../storage/tenancy/sessions.ts'
import { insertUser } from '../../../storage/tenancy/users.ts'
import { openMigrated } from '../../support/stores/migrated-store.ts'

export const startedAt = Date.UTC(2026, 0, 1)

/** The store, with counters, delays and faults. */
export class WatchedStore implements Store {
  reads = 0
  commits = 0
  /** Awaited in each read, between the query and its result. */
  beforeAnswer: () => Promise<void> | void = () => {}
  /** Called with each commit; an exception makes it fail. */
  beforeCommit: () => Promise<void> | void = () => {}
  /** Settles with the last commit. */
  lastCommit: Promise<unknown> = Promise.resolve()

  constructor(private readonly store: Store) {}

  readonly engine = 'sqlite'
  get db() {
    return this.store.db
  }
  get statistics() {
    return this.store.statistics
  }
  async first<Row>(query: Query<Row>): Promise<Row | undefined> {
    this.reads += 1
    const row = await this.store.first(query)
    await this.beforeAnswer()
    return row
  }
  async all<Row>(query: Query<Row>): Promise<Row[]> {
    this.reads += 1
    const rows = await this.store.all(query)
    await this.beforeAnswer()
    return rows
  }
  commit(unit: readonly Write[]): Promise<void> {
    this.commits += 1
    const done = Promise.resolve()
      .then(() => this.beforeCommit())
      .then(() => this.store.commit(unit))
    this.lastCommit = done.catch(() => undefined)
    return done
  }
  get background() {
    return this.store.background
  }
  sweepTexts() {
    return this.store.sweepTexts()
  }
  ping() {
    return this.store.ping()
  }
  close() {
    return this.store.close()
  }
}

export interface World {
  store: WatchedStore
  clock: { at: number; now(): number }
  warnings: string[]
  organizationId: string
  /** A new user, with a role in the organization. */
  addUser(role: Role): Promise<string>
  /** A new key of an owner, active for a day by default; returns its secret. */
  addKey(overrides?: Partial<ApiKeyRow>): Promise<string>
  /** A new session of the user; returns its token. */
  addSession(userId: string): Promise<string>
  /** Another organization, with the user as a member. */
  addOrganization(slug: string, userId: string, role: Role): Promise<string>
  sessions: SessionCredentials
  /** An authenticator that is the only one of its store, and counts no failures by default. */
  authenticator(options?: Partial<AuthenticatorOptions>): RequestAuthenticator
  key(secret: string): Promise<ApiKeyRow>
  change(secret: string, values: Partial<ApiKeyRow>): Promise<void>
  close(): Promise<void>
}

export async function openWorld(): Promise<World> {
  const store = new WatchedStore(await openMigrated())
  const clock = { at: startedAt, now: () => clock.at }
  const warnings: string[] = []
  const organizationId = newId('org')
  await store.commit([
    insertOrganization(store, {
      id: organizationId,
      slug: 'acme',
      name: 'Acme',
      kind: 'team',
      status: 'active',
      created_at: startedAt,
      updated_at: startedAt,
    }),
  ])

  async function addUser(role: Role) {
    const id = newId('usr')
    await store.commit([
      insertUser(store, {
        id,
        email: `${id}@example.com`,
        name: 'Ada',
        password_hash: '-',
        created_at: startedAt,
        email_verified_at: startedAt,
      }),
      insertMembership(store, { organization_id: organizationId, user_id: id, role, created_at: startedAt }),
    ])
    return id
  }

  const logger = { warn: (_: object, message?: string) => void warnings.push(message ?? '') }
  const sessions = new SessionCredentials({ store, clock, logger, key: new Uint8Array(32).fill(1), secure: false })

  return {
    store,
    clock,
    warnings,
    organizationId,
    addUser,
    async addKey(overrides = {}) {
      const secret = newSecret()
      await store.commit([
        insertApiKey(store, {
          id: newId('key'),
          organization_id: organizationId,
          name: 'key',
          prefix: visiblePrefix(secret),
          secret_hash: hashSecret(secret),
          operations: JSON.stringify(permissions),
          project_id: null,
          environment_id: null,
          agent_id: null,
          created_by: overrides.created_by ?? (await addUser('owner')),
          status: 'active',
          expires_at: startedAt + 86_400_000,
          last_used_at: null,
          created_at: startedAt,
          ...overrides,
        }),
      ])
      return secret
    },
    async addSession(userId) {
      const { row, token } = sessions.begin(userId)
      await store.commit([insertSession(store, row)])
      return token
    },
    async addOrganization(slug, userId, role) {
      const id = newId('org')
      const at = clock.at
      await store.commit([
        insertOrganization(store, {
          id,
          slug,
          name: slug,
          kind: 'team',
          status: 'active',
          created_at: at,
          updated_at: at,
        }),
        insertMembership(store, { organization_id: id, user_id: userId, role, created_at: at }),
      ])
      return id
    },
    sessions,
    authenticator: (options = {}) =>
      new RequestAuthenticator({
        apiKeys: new ApiKeyCredentials({ store, clock, logger }),
        sessions,
        revocations: new EmbeddedRevocations(),
        clock,
        ...options,
      }),
    key: (secret) =>
      store.db
        .selectFrom('api_keys')
        .selectAll()
        .where('secret_hash', '=', hashSecret(secret))
        .executeTakeFirstOrThrow(),
    async change(secret, values) {
      await store.db.updateTable('api_keys').set(values).where('secret_hash', '=', hashSecret(secret)).execute()
    },
    close: () => store.close(),
  }
}

/** The error that the caller of `action` would get. */
export async function refusalOf(action: () => unknown): Promise<{ status: number; code: string; message: string }> {
  try {
    await action()
  } catch (error) {
    const { status, code, message } = error as { status: number; code: string; message: string }
    return { status, code, message }
  }
  throw new Error('It was not refused.')
}

/** A request without credentials. */
export const plain = new Request('http://localhost/')

/** The answer to every invalid key, whatever the reason. */
export const invalid = { status: 401, code: 'invalid_api_key', message: 'The API key is not valid.' }
