/** A variable without its value. */
import type { VariableRow, VariableVersionRow } from '../../../storage/tables.ts'
import { timestamp } from '../../platform/http/timestamp.ts'
import type { Variable } from './schema.ts'

/** A variable with the visible facts of its current version. */
export type ShownVariable = VariableRow &
  Pick<VariableVersionRow, 'source_variable_id' | 'source_version' | 'digest' | 'length'>

export const presentVariable = (row: ShownVariable): Variable => ({
  id: row.id,
  name: row.name,
  version: row.version,
  description: row.description,
  sourceVariableId: row.source_variable_id,
  sourceVersion: row.source_version,
  agentId: row.agent_id,
  bindingKey: row.binding_key,
  status: row.status,
  valueDigest: row.digest,
  valueLength: row.length,
  createdAt: timestamp(row.created_at),
  updatedAt: timestamp(row.updated_at),
})
