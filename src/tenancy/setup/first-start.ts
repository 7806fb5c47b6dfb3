/**
 * Prepares a store for use: an owner, an organization, an API key. Source: contract 1, "First start", `TROUPE_OWNER_EMAIL`,
 * `TROUPE_OWNER_PASSWORD`, `TROUPE_BOOTSTRAP_API_KEY`.
 *
 * On an empty store all of it is created in one unit of work: an interrupted start leaves nothing, and of several servers
 * that start in parallel exactly one creates it. On a store in use, a new `TROUPE_BOOTSTRAP_API_KEY` becomes another key of
 * the first organization's owner. Stored keys are never changed: a revoked key stays revoked.
 *
 * Generated credentials are shown before they are stored. A process that dies in between has shown invalid ones, and the
 * next start shows others; the reverse order could leave a store without known credentials.
 */
import { UniqueViolation } from '../../../storage/errors.ts'
import { newId } from '../../../storage/ids.ts'
import type { Store, Write } from '../../../storage/store.ts'
import { apiKeyStatus, insertApiKey } from '../../../storage/tenancy/api-keys.ts'
import {
  findFirstOwner,
  insertInstallation,
  insertMembership,
  insertOrganization,
} from '../../../storage/tenancy/organizations.ts'
import { anyUser, insertUser } from '../../../storage/tenancy/users.ts'
import { unbound } from '../../platform/http/guard/caller.ts'
import { permissions } from '../../platform/http/guard/permissions.ts'
import { InvalidSetting } from '../../platform/operating/variable.ts'
import { hashSecret } from '../../platform/secrets/tokens.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { lifeMsMax } from '../api-keys/expiry.ts'
import { apiKeyRow } from '../api-keys/row.ts'
import { isWellFormed, newSecret } from '../api-keys/secret.ts'
import { problemOfPassword } from '../sessions/new-password.ts'
import { hashPassword } from '../sessions/passwords.ts'

/** Empty is the same as unset. */
export interface FirstStartSettings {
  /** `TROUPE_OWNER_EMAIL`; default `owner@localhost`. */
  ownerEmail?: string | undefined
  /** `TROUPE_OWNER_PASSWORD`; default: generated. */
  ownerPassword?: string | undefined
  /** `TROUPE_BOOTSTRAP_API_KEY`; default: generated. */
  bootstrapApiKey?: string | undefined
}

/** The credentials to show the operator, once. Those that the operator chose are not repeated, because logs are kept. */
export interface FirstCredentials {
  owner: { email: string; generatedPassword: string | null }
  /** The secret of the key, unless the operator chose it. */
  generatedApiKey: string | null
}

/** The result of a start; null on later starts. */
interface FirstStart {
  owner: FirstCredentials['owner'] | null
  generatedApiKey: string | null
  /** Why `TROUPE_BOOTSTRAP_API_KEY` has no effect, for the operator. */
  warning: string | null
}

const nothingToTell: FirstStart = { owner: null, generatedApiKey: null, warning: null }

const address = /^[^\s@]+@[^\s@]+$/
const addressLengthMax = 254

/** Throws one line for the operator, which names the variable and no secret. */
function assertValid({ ownerEmail, bootstrapApiKey }: FirstStartSettings): void {
  if (ownerEmail && (!address.test(ownerEmail) || ownerEmail.length > addressLengthMax)) {
    throw new InvalidSetting(`TROUPE_OWNER_EMAIL is not a valid email address: ${JSON.stringify(ownerEmail)}.`)
  }
  if (bootstrapApiKey && !isWellFormed(bootstrapApiKey)) {
    throw new InvalidSetting(
      'TROUPE_BOOTSTRAP_API_KEY is not an API key: it must be trp_ with 43 characters of 0-9A-Za-z and the 6 of their checksum. Leave it out to have one generated.',
    )
  }
}

/** Checked only when it is used: a store with an owner ignores the setting. */
async function assertOwnerPassword(password: string, email: string): Promise<void> {
  const problem = await problemOfPassword(password, email)
  if (problem === undefined) return
  const sentence = `${problem.charAt(0).toLowerCase()}${problem.slice(1)}`
  throw new InvalidSetting(`TROUPE_OWNER_PASSWORD ${sentence} Leave it out to have one generated.`)
}

interface KeyFacts {
  secret: string
  organizationId: string
  userId: string
  now: number
}

/** An unbound key with all operations. */
const bootstrapKey = (store: Store, { secret, organizationId, userId, now }: KeyFacts): Write => {
  const facts = { organizationId, createdBy: userId, name: 'bootstrap', operations: permissions, scope: unbound }
  return insertApiKey(store, apiKeyRow(secret, { ...facts, expiresAt: now + lifeMsMax }, now))
}

/** Creates owner, organization, membership and key. Throws `UniqueViolation` if another process was first. */
async function createAll(
  store: Store,
  now: number,
  settings: FirstStartSettings,
  show: (made: FirstCredentials) => Promise<void>,
): Promise<FirstStart> {
  const email = (settings.ownerEmail || 'owner@localhost').toLowerCase()
  const password =
    settings.ownerPassword || crypto.getRandomValues(new Uint8Array(18)).toBase64({ alphabet: 'base64url' })
  if (settings.ownerPassword) await assertOwnerPassword(settings.ownerPassword, email)
  const secret = settings.bootstrapApiKey || newSecret()
  const organizationId = newId('org', now)
  const userId = newId('usr', now)
  const passwordHash = await hashPassword(password)
  const made = {
    owner: { email, generatedPassword: settings.ownerPassword ? null : password },
    generatedApiKey: settings.bootstrapApiKey ? null : secret,
  }
  await show(made)
  await store.commit([
    insertOrganization(store, {
      id: organizationId,
      slug: 'default',
      name: 'Default',
      kind: 'team',
      status: 'active',
      created_at: now,
      updated_at: now,
    }),
    insertInstallation(store, { id: 1, first_organization_id: organizationId }),
    insertUser(store, {
      id: userId,
      email,
      name: 'Owner',
      password_hash: passwordHash,
      created_at: now,
      // the operator has set it: a mail would prove nothing more
      email_verified_at: now,
    }),
    insertMembership(store, { organization_id: organizationId, user_id: userId, role: 'owner', created_at: now }),
    bootstrapKey(store, { secret, organizationId, userId, now }),
  ])
  return { ...made, warning: null }
}

/** Adds the chosen key to a store in use. Throws `UniqueViolation` if another process was first. */
async function ensureKey(store: Store, now: number, secret: string): Promise<FirstStart> {
  const warn = (why: string): FirstStart => ({ ...nothingToTell, warning: `TROUPE_BOOTSTRAP_API_KEY ${why}` })
  const stored = await store.first(apiKeyStatus(store, { secretHash: hashSecret(secret) }))
  if (stored?.status === 'revoked') return warn('is a revoked key; choose another one.')
  if (stored && stored.expires_at <= now) return warn('is an expired key; choose another one.')
  if (stored) return nothingToTell
  const owner = await store.first(findFirstOwner(store, {}))
  if (!owner) return warn('was not added: the first organization has been deleted.')
  await store.commit([
    bootstrapKey(store, { secret, organizationId: owner.organization_id, userId: owner.user_id, now }),
  ])
  return nothingToTell
}

/**
 * Prepares the store; `show` is awaited before its argument is stored. Throws an `Error` with one line for the operator if a
 * setting is invalid, on any start; `StoreUnavailable`.
 */
export async function firstStart(
  store: Store,
  clock: Pick<Clock, 'now'>,
  settings: FirstStartSettings = {},
  show: (made: FirstCredentials) => Promise<void> = async () => {},
): Promise<FirstStart> {
  assertValid(settings)
  let shown = false
  const showOnce = (made: FirstCredentials) => {
    shown = (made.generatedApiKey ?? made.owner.generatedPassword) !== null
    return show(made)
  }
  const attempt = async (): Promise<FirstStart> => {
    if (!(await store.first(anyUser(store, {})))) return createAll(store, clock.now(), settings, showOnce)
    return settings.bootstrapApiKey ? ensureKey(store, clock.now(), settings.bootstrapApiKey) : nothingToTell
  }
  try {
    return await attempt()
  } catch (error) {
    if (!(error instanceof UniqueViolation)) throw error
    // another server was first: its credentials are stored, and those shown here are invalid
    const { warning, ...made } = await attempt()
    return {
      ...made,
      warning: warning ?? (shown ? 'Another server was first: use the credentials that it has shown.' : null),
    }
  }
}
