/** Rules of a source of operations beyond its shape. Source: contract 3, "operations source" and "Precise points". */
import type { Issue } from '../../platform/http/answers/errors.ts'
import { isObject } from '../../platform/json.ts'
import { nextTurn } from '../../platform/time/next-turn.ts'
import { handlerIssues, timeoutIssues } from './handler-rules.ts'
import { type SchemaPlace, schemasIssues } from './json-schemas.ts'
import { fieldOfEach, type Loose, listOf, repeated } from './loose.ts'

export async function operationsIssues(source: Loose, path: string, organizationId: string): Promise<Issue[]> {
  const at = `${path}/operations`
  const schemas: SchemaPlace[] = []
  const issues = repeated(fieldOfEach(listOf(source.operations), 'name', at))
  for (const [index, operation] of listOf(source.operations).entries()) {
    if (!isObject(operation)) continue
    // a handler may have thousands of placeholders, and others are waiting
    if (index % 10 === 0) await nextTurn()
    issues.push(
      ...handlerIssues(operation.handler, `${at}/${index}/handler`),
      ...timeoutIssues(operation, `${at}/${index}`),
    )
    schemas.push(
      { path: `${at}/${index}/inputSchema`, schema: operation.inputSchema, ofObjects: 'Must be object.' },
      { path: `${at}/${index}/outputSchema`, schema: operation.outputSchema },
    )
  }
  return [...issues, ...(await schemasIssues(schemas, path, organizationId))]
}
