/**
 * Where a Connection sends its secret. Whoever names the address gets the secret, so a new address takes the permission
 * that creating such a Connection takes. Source: contract 4; requirement 4.3.
 */
import type { CurrentConnection } from '../../../storage/delivery/connections.ts'
import type { ConnectionRow } from '../../../storage/tables.ts'
import { ApiError } from '../../platform/http/answers/errors.ts'
import { may } from '../../platform/http/guard/authorization-scope.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import type { Permission } from '../../platform/http/guard/permissions.ts'

/** A version of a Connection: its address, and the credential or the consent whose secret goes there. */
export interface Destination {
  kind: ConnectionRow['kind']
  settings: Record<string, unknown>
  credentialId: string | null
  byOAuth: boolean
}

/** Of the current version. */
export const destinationOf = (row: CurrentConnection): Destination => ({
  kind: row.kind,
  settings: JSON.parse(row.settings),
  credentialId: row.provider_credential_id,
  byOAuth: row.preset_key !== null,
})

/** Whether every call fails: the settings send a secret, and there is none. Other kinds may name anything `auth`. */
export const lacksSecret = ({ kind, settings, credentialId, byOAuth }: Destination): boolean =>
  kind === 'http' && settings.auth !== undefined && credentialId === null && !byOAuth

/** The permission to send the secret there in place of where it went before; undefined: none is needed. */
export function permissionToSend(before: Destination, after: Destination): Permission | undefined {
  const isSameAddress = addressOf(before) === addressOf(after)
  if (after.byOAuth) return isSameAddress ? undefined : 'connections:start-oauth'
  if (after.credentialId === null) return undefined
  return isSameAddress && before.credentialId === after.credentialId ? undefined : 'connections:create'
}

/** Throws `permission_denied` (403). */
export function assertMaySend(caller: Caller, projectId: string, before: Destination, after: Destination): void {
  const permission = permissionToSend(before, after)
  if (permission === undefined || may(caller, permission, projectId)) return
  const secret = after.byOAuth ? 'the token of its consent' : 'a credential'
  const message = `Letting a Connection send ${secret} to another address requires the permission ${permission}.`
  throw new ApiError(403, 'permission_denied', message, { details: { permission } })
}

/** Scheme, host and port; of a kind without an address, all settings. */
function addressOf({ kind, settings }: Destination): string {
  if (kind === 'custom') return JSON.stringify(settings)
  const { host, port } = settings as { host?: string; port?: number }
  if (kind === 'database') return `${host}:${port}`
  const { protocol, host: place } = new URL(String(settings.baseUrl ?? settings.endpoint ?? settings.url))
  return `${protocol}//${place}`
}
