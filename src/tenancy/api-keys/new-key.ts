/** Parses the request for a new key. Pure. Source: requirement 5.4; contract 1. */

import { type Issue, invalid } from '../../platform/http/answers/errors.ts'
import type { Scope } from '../../platform/http/guard/caller.ts'
import { type Permission, unknownPermission } from '../../platform/http/guard/permissions.ts'
import { expiryOfNew } from './expiry.ts'
import { readOperations } from './operations.ts'
import type { CreateKeyBody } from './schema.ts'

interface RequestedKey {
  name: string
  operations: Permission[]
  scope: Scope
  /** Epoch milliseconds. */
  expiresAt: number
}

/** Throws `validation_failed` (422) with all problems. */
export function readNewKey(body: CreateKeyBody, now: number): RequestedKey {
  const { name, projectId = null, environmentId = null, agentId = null } = body
  const { operations, unknown } = readOperations(body.operations)
  const expiry = expiryOfNew(body.expiresAt, now)
  const issues: Issue[] = unknown.map((position) => ({
    path: `/body/operations/${position}`,
    message: unknownPermission(body.operations[position]!),
  }))
  if (projectId === null && (environmentId !== null || agentId !== null)) {
    issues.push({ path: '/body/projectId', message: 'Is required with environmentId and agentId.' })
  }
  if ('problem' in expiry) issues.push({ path: '/body/expiresAt', message: expiry.problem })
  if ('problem' in expiry || issues.length > 0) throw invalid(issues)
  return { name, operations, scope: { projectId, environmentId, agentId }, expiresAt: expiry.at }
}
