/** The place for which the value of an organization variable is encrypted. */
import type { SecretPlace } from '../../platform/secrets/vault.ts'

export const organizationVariablePlace = (organizationId: string, recordId: string, version: number): SecretPlace => ({
  organizationId,
  table: 'organization_variables',
  recordId,
  version,
})
