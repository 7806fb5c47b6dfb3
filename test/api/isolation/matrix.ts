/**
 * Every operation of the API document: its scope, and a request that would be accepted. The response for each credential
 * follows from the scope. Source: contract 0, "Foreign = missing"; contract 1, "Keys and organizations".
 */
import { accounts } from './matrix/accounts.ts'
import { authoring } from './matrix/authoring.ts'
import { automation } from './matrix/automation.ts'
import { billing } from './matrix/billing.ts'
import { delivery } from './matrix/delivery.ts'
import { events } from './matrix/events.ts'
import { platform } from './matrix/platform.ts'
import type { Row } from './matrix/rows.ts'
import { runs } from './matrix/runs.ts'
import { tenancy } from './matrix/tenancy.ts'

/** By operationId. */
export const matrix: Record<string, Row> = {
  ...accounts,
  ...authoring,
  ...automation,
  ...billing,
  ...delivery,
  ...events,
  ...platform,
  ...runs,
  ...tenancy,
}

// whoever may read an actor may also read its statechart and simulate events on a copy
for (const [operationId, row] of Object.entries(matrix)) {
  if (!/^get\w+Actor$/.test(operationId)) continue
  matrix[`${operationId}Machine`] = row
  matrix[operationId.replace('get', 'simulate')] = { ...row, body: () => ({ steps: [] }) }
  matrix[operationId.replace(/^get(\w+)Actor$/, 'create$1EmbedTicket')] = { ...row, body: () => ({}) }
}
