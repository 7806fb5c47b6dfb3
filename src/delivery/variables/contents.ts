/** The content of a variable's version: an encrypted value, or the version of an organization variable. */
import { findOrganizationVariableVersion } from '../../../storage/delivery/organization-variables.ts'
import type { Store } from '../../../storage/store.ts'
import type { VariableVersionRow } from '../../../storage/tables.ts'
import { orNoSuch } from '../../platform/http/answers/references.ts'
import type { Vault } from '../../platform/secrets/vault.ts'
import { traceOf } from './value.ts'
import { type VariableReference, variablePlace } from './values.ts'

/** The content in a request: one of the two, or neither. */
interface GivenContents {
  value?: string
  sourceVariableId?: string
  sourceVersion?: number
}

/** The row of a version; undefined if nothing was given. Throws `noSuch` for a missing source. */
export async function versionOf(
  { store, vault }: { store: Store; vault: Vault },
  reference: VariableReference,
  { value, sourceVariableId, sourceVersion }: GivenContents,
  at: number,
): Promise<VariableVersionRow | undefined> {
  const { organizationId, variableId: variable_id, version } = reference
  const row = { variable_id, version, created_at: at }
  if (value !== undefined) {
    const sealed = await vault.seal(variablePlace(reference), value)
    const trace = await traceOf(vault, organizationId, value)
    return { ...row, sealed, source_variable_id: null, source_version: null, ...trace }
  }
  if (sourceVariableId === undefined || sourceVersion === undefined) return undefined
  const key = { organizationId, id: sourceVariableId, version: sourceVersion }
  const found = await store.first(findOrganizationVariableVersion(store, key))
  const source = orNoSuch(found, 'version of an organization variable', '/body/sourceVariableId')
  const { digest, length } = source
  return { ...row, sealed: null, source_variable_id: sourceVariableId, source_version: sourceVersion, digest, length }
}
