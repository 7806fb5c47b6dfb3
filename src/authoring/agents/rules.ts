/**
 * Rules for a revision beyond its schema: names must be unique, JSON Schemas usable, and operations known. They accept
 * any input, so that all problems are reported at once. Source: contract 3, `AgentContent` and "Precise points";
 * requirement 5.8.
 */
import type { Issue } from '../../platform/http/answers/errors.ts'
import { permissions } from '../../platform/http/guard/permissions.ts'
import { isObject } from '../../platform/json.ts'
import { type SchemaPlace, schemasIssues } from '../definitions/json-schemas.ts'
import { fieldOfEach, type Loose, repeated } from '../definitions/loose.ts'
import { operationPattern } from './content.ts'

/** No schema allows more items; the schema itself reports an excess. */
const lookedAtMax = 200
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value.slice(0, lookedAtMax) : [])

function bindingIssues(bindings: unknown, path: string): Issue[] {
  const misplaced = listOf(bindings).flatMap((binding, index) =>
    isObject(binding) && binding.kind === 'variable' && binding.connectionKind !== undefined
      ? [{ path: `${path}/${index}/connectionKind`, message: 'Goes with kind connection only.' }]
      : [],
  )
  return [...repeated(fieldOfEach(listOf(bindings), 'bindingKey', path)), ...misplaced]
}

function schemaPlaces(content: Loose, path: string): SchemaPlace[] {
  const inputs = listOf(content.tools).flatMap((tool, index) =>
    isObject(tool) && tool.kind === 'interactive'
      ? [
          {
            path: `${path}/tools/${index}/inputSchema`,
            schema: tool.inputSchema,
            ofObjects: 'Must be object: a tool is called with one.',
          },
        ]
      : [],
  )
  return [...inputs, { path: `${path}/outputSchema`, schema: content.outputSchema }]
}

/** Problems of a content beyond its schema. Throws `SchemaFailure` if its JSON Schemas cannot be checked now. */
export async function contentIssues(content: unknown, path: string, organizationId: string): Promise<Issue[]> {
  if (!isObject(content)) return []
  const names = [
    ...fieldOfEach(listOf(content.tools), 'name', `${path}/tools`),
    ...fieldOfEach(listOf(content.delegates), 'name', `${path}/delegates`),
  ]
  return [
    ...repeated(names),
    ...bindingIssues(content.bindings, `${path}/bindings`),
    ...(await schemasIssues(schemaPlaces(content, path), path, organizationId)),
  ]
}

const known: ReadonlySet<string> = new Set(permissions)

/** Problems with the names of granted operations. */
export function grantIssues(granted: unknown, path: string): Issue[] {
  const all = listOf(granted).map((name, index) => ({ path: `${path}/${index}`, name }))
  const unknown = all.flatMap(({ path: at, name }) =>
    typeof name === 'string' && !known.has(name) && !operationPattern.test(name)
      ? [{ path: at, message: 'Is neither a permission nor `<definition>.<operation>`.' }]
      : [],
  )
  return [...repeated(all), ...unknown]
}
