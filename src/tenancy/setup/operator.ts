/**
 * Commands of the operator on the store itself, for when every other access is lost.
 */
import { newId } from '../../../storage/ids.ts'
import type { Store } from '../../../storage/store.ts'
import { deleteAccountTokens } from '../../../storage/tenancy/account-tokens.ts'
import { insertApiKey } from '../../../storage/tenancy/api-keys.ts'
import { findFirstOwner } from '../../../storage/tenancy/organizations.ts'
import { deleteSessionsOf } from '../../../storage/tenancy/sessions.ts'
import {
  changePassword,
  findUser,
  findVerifiedUser,
  listOrganizationsOfUser,
  listUnverifiedUsers,
} from '../../../storage/tenancy/users.ts'
import { unbound } from '../../platform/http/guard/caller.ts'
import { expandPermission } from '../../platform/http/guard/permissions.ts'
import { systemClock } from '../../platform/time/clock.ts'
import { apiKeyRow } from '../api-keys/row.ts'
import { newSecret } from '../api-keys/secret.ts'
import { AuditLog } from '../audit/log.ts'
import { hashPassword } from '../sessions/passwords.ts'

/** The operator asks for something impossible; the message is one line for them. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError'

  constructor(
    readonly reason: 'missing' | 'refused',
    message: string,
  ) {
    super(message)
  }
}

/** The most accounts with one address that are listed. */
const accountsMax = 20

/** As for names everywhere. */
const nameForm = /^(?=\S)\P{C}{1,200}(?<=\S)$/u

const operator = { type: 'server', id: 'operator' } as const

const auditOf = (store: Store) => new AuditLog({ store, clock: systemClock, logger: { error: () => {} } })

/** The account of an address or of a user's id. Throws `OperatorError` when there is none, or more than one. */
async function findAccount(store: Store, emailOrId: string) {
  if (emailOrId.startsWith('usr_')) {
    const user = await store.first(findUser(store, { id: emailOrId }))
    if (!user) throw new OperatorError('missing', `There is no account ${emailOrId}.`)
    return user
  }
  const email = emailOrId.toLowerCase()
  const verified = await store.first(findVerifiedUser(store, { email }))
  if (verified) return verified
  const [user, ...others] = await store.all(listUnverifiedUsers(store, { email, limit: accountsMax }))
  if (!user) throw new OperatorError('missing', `There is no account of ${email}.`)
  if (others.length > 0) {
    const ids = [user, ...others].map(({ id }) => id).join(', ')
    throw new OperatorError('refused', `Several accounts claim ${email}: name one by its id, ${ids}.`)
  }
  return user
}

/**
 * Sets a generated password and ends all sessions of the account, and its mailed tokens for a new one. Throws
 * `OperatorError`.
 */
export async function resetPasswordOf(store: Store, emailOrId: string) {
  const user = await findAccount(store, emailOrId)
  const password = crypto.getRandomValues(new Uint8Array(18)).toBase64({ alphabet: 'base64url' })
  const newHash = await hashPassword(password)
  const organizations = await store.all(listOrganizationsOfUser(store, { userId: user.id }))
  const audit = auditOf(store)
  await store.commit([
    changePassword(store, { id: user.id, checkedHash: user.password_hash, newHash }),
    deleteSessionsOf(store, { userId: user.id }),
    deleteAccountTokens(store, { userId: user.id, purpose: 'password-reset' }),
    ...organizations.map(({ id }) =>
      audit.write({
        organizationId: id,
        actor: operator,
        ip: null,
        operation: 'resetPassword',
        resource: { type: 'user', id: user.id },
        outcome: 'allowed',
        requestId: newId('req', systemClock.now()),
        requestIdFrom: 'server',
        changed: ['password'],
      }),
    ),
  ])
  return { userId: user.id, email: user.email, password }
}

/** Makes an API key of the first organization, in the name of its owner. Throws `OperatorError`. */
export async function createOperatorKey(
  store: Store,
  wanted: { name: string; operations: readonly string[]; lifeMs: number },
) {
  const { name, operations, lifeMs } = wanted
  if (!nameForm.test(name))
    throw new OperatorError('refused', 'The name has 1 to 200 characters, none of them a control character.')
  const unknown = operations.find((operation) => !expandPermission(operation))
  if (unknown !== undefined) throw new OperatorError('refused', `${JSON.stringify(unknown)} is no permission.`)
  const owner = await store.first(findFirstOwner(store, {}))
  if (!owner)
    throw new OperatorError(
      'missing',
      'The first organization has been deleted, or there is none yet: start the server.',
    )
  const now = systemClock.now()
  const secret = newSecret()
  const key = apiKeyRow(
    secret,
    {
      organizationId: owner.organization_id,
      createdBy: owner.user_id,
      name,
      operations: [...new Set(operations.flatMap((operation) => expandPermission(operation) ?? []))],
      scope: unbound,
      expiresAt: now + lifeMs,
    },
    now,
  )
  const line = auditOf(store).write({
    organizationId: owner.organization_id,
    actor: operator,
    ip: null,
    operation: 'createApiKey',
    resource: { type: 'apiKey', id: key.id },
    outcome: 'allowed',
    requestId: newId('req', now),
    requestIdFrom: 'server',
    changed: ['name', 'operations', 'expiresAt'],
  })
  await store.commit([insertApiKey(store, key), line])
  return { id: key.id, name, secret, expiresAt: new Date(key.expires_at).toISOString() }
}
