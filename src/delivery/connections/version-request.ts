/** Validates new versions of Connections by how they were connected. Source: requirement 4.3; contract 4, precise points. */
import type { CurrentConnection } from '../../../storage/delivery/connections.ts'
import type { Issue } from '../../platform/http/answers/errors.ts'
import { referenceIssues } from './credential-reference.ts'
import type { ConnectionChanges } from './schema.ts'

export const settingsPath = '/body/version/settings'

/** A Connection with a credential must name one or null again; one connected by OAuth has a consent instead. */
export function versionIssues(version: NonNullable<ConnectionChanges['version']>, row: CurrentConnection): Issue[] {
  const path = '/body/version/providerCredentialId'
  if (row.preset_key === null) {
    const isMissing = version.providerCredentialId === undefined && row.provider_credential_id !== null
    const message = 'Is required because the Connection has a credential: give it again, or null for none.'
    return isMissing ? [{ path, message }] : referenceIssues(version, '/body/version')
  }
  if ((version.providerCredentialId ?? null) !== null) {
    return [{ path, message: 'A Connection that was created by OAuth cannot have a credential.' }]
  }
  const { auth = 'bearer' } = version.settings ?? {}
  const bearerOnly = auth === 'bearer' ? [] : [{ path: `${settingsPath}/auth`, message: 'Must be bearer with OAuth.' }]
  return [...referenceIssues(version, '/body/version'), ...bearerOnly]
}

/** A Connection by OAuth sends its token even if the settings leave `auth` out. */
export const settingsOf = (settings: Record<string, unknown>, { preset_key }: CurrentConnection) =>
  preset_key === null ? settings : { ...settings, auth: 'bearer' }
