/** Rules for combinations of a variable's fields. Pure. Source: contract 4. */
import type { Issue } from '../../platform/http/answers/errors.ts'
import type { NewVariable, VariableChanges } from './schema.ts'

const incompleteSource = 'sourceVariableId and sourceVersion must be given together.'

/** Either a value or a complete source; required for a new variable. */
export function contentIssues(body: Partial<NewVariable> | VariableChanges, isNew: boolean): Issue[] {
  const { value, sourceVariableId, sourceVersion } = body
  if (value !== undefined) {
    return (['sourceVariableId', 'sourceVersion'] as const)
      .filter((field) => body[field] !== undefined)
      .map((field) => ({ path: `/body/${field}`, message: 'Must not be given with a value.' }))
  }
  if (sourceVariableId === undefined && sourceVersion === undefined) {
    return isNew
      ? [{ path: '/body/value', message: 'Is required unless sourceVariableId and sourceVersion are given.' }]
      : []
  }
  if (sourceVariableId === undefined) return [{ path: '/body/sourceVariableId', message: incompleteSource }]
  if (sourceVersion === undefined) return [{ path: '/body/sourceVersion', message: incompleteSource }]
  return []
}

const kindOf = (field: string | null | undefined) => (field === undefined ? 'left' : field === null ? 'none' : 'given')

/** Agent and binding key: both given, both null, or both omitted. */
export function bindingIssues({ agentId, bindingKey }: Pick<VariableChanges, 'agentId' | 'bindingKey'>): Issue[] {
  if (kindOf(agentId) === kindOf(bindingKey)) return []
  const path = agentId === undefined ? '/body/agentId' : '/body/bindingKey'
  return [{ path, message: 'agentId and bindingKey must be given together.' }]
}
