/** What another version of a Connection may be, by how it was connected. Source: requirement 4.3; contract 4, precise points. */
import type { CurrentConnection } from '../../../storage/delivery/connections.ts'
import type { Issue } from '../../platform/http/answers/errors.ts'
import { referenceIssues } from './credential-reference.ts'
import type { ConnectionChanges } from './schema.ts'

export const settingsPath = '/body/version/settings'

/** A version of a Connection with a credential takes one or says that there is none; one by OAuth has a consent in its place. */
export function versionIssues(version: NonNullable<ConnectionChanges['version']>, row: CurrentConnection): Issue[] {
  const path = '/body/version/providerCredentialId'
  if (row.preset_key === null) {
    const isMissing = version.providerCredentialId === undefined && row.provider_credential_id !== null
    const message = 'Is required, since the Connection has a credential: name it again, or null for none.'
    return isMissing ? [{ path, message }] : referenceIssues(version, '/body/version')
  }
  if ((version.providerCredentialId ?? null) !== null) {
    return [{ path, message: 'A Connection that was made by OAuth takes no credential.' }]
  }
  const { auth = 'bearer' } = version.settings ?? {}
  const bearerOnly = auth === 'bearer' ? [] : [{ path: `${settingsPath}/auth`, message: 'Must be bearer with OAuth.' }]
  return [...referenceIssues(version, '/body/version'), ...bearerOnly]
}

/** What was connected by OAuth sends its token, also where the settings leave that out. */
export const settingsOf = (settings: Record<string, unknown>, { preset_key }: CurrentConnection) =>
  preset_key === null ? settings : { ...settings, auth: 'bearer' }
