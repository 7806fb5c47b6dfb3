/**
 * What the shape of a revision cannot say: names that must differ, JSON Schemas that must be usable, operations that must
 * be there. It reads whatever was sent, so that all problems are told at once. Source: contract 3, `AgentContent` and
 * "Precise points"; requirement 5.8.
 */
import type { Issue } from '../http/errors.ts'
import { permissions } from '../http/permissions.ts'
import { nextTurn } from '../runtime/next-turn.ts'
import { operationPattern } from './content.ts'
import { jsonSchemaIssues } from './json-schema.ts'

/** Of all JSON Schemas of one content together. */
const schemasCharactersMax = 131_072

type Loose = Record<string, unknown>

const isObject = (value: unknown): value is Loose =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

interface Named {
  path: string
  name: unknown
}

/** The later ones of equal names. */
function repeated(all: readonly Named[]): Issue[] {
  const first = new Map<unknown, string>()
  return all.flatMap(({ path, name }) => {
    if (typeof name !== 'string') return []
    const before = first.get(name)
    if (before !== undefined) return [{ path, message: `Is the same as ${before}.` }]
    first.set(name, path)
    return []
  })
}

/** One field of each item of a list. */
const fieldOfEach = (items: unknown, field: string, path: string): Named[] =>
  listOf(items).map((item, index) => ({
    path: `${path}/${index}/${field}`,
    name: isObject(item) ? item[field] : undefined,
  }))

function bindingIssues(bindings: unknown, path: string): Issue[] {
  const misplaced = listOf(bindings).flatMap((binding, index) =>
    isObject(binding) && binding.kind === 'variable' && binding.connectionKind !== undefined
      ? [{ path: `${path}/${index}/connectionKind`, message: 'Goes with kind connection only.' }]
      : [],
  )
  return [...repeated(fieldOfEach(bindings, 'bindingKey', path)), ...misplaced]
}

/** A tool is called with an object; a schema that takes none makes the tool useless. */
function takesObjects({ type }: Loose): boolean {
  return type === undefined || type === 'object' || (Array.isArray(type) && type.includes('object'))
}

async function schemaIssues(content: Loose, path: string): Promise<Issue[]> {
  const inputs = listOf(content.tools).flatMap((tool, index) =>
    isObject(tool) && tool.kind === 'interactive' && isObject(tool.inputSchema)
      ? [{ at: `${path}/tools/${index}/inputSchema`, schema: tool.inputSchema, isInput: true }]
      : [],
  )
  const { outputSchema } = content
  const all = isObject(outputSchema)
    ? [...inputs, { at: `${path}/outputSchema`, schema: outputSchema, isInput: false }]
    : inputs
  const characters = all.reduce((sum, { schema }) => sum + JSON.stringify(schema).length, 0)
  if (characters > schemasCharactersMax) {
    const message = `Its JSON Schemas may have at most ${schemasCharactersMax.toLocaleString('en')} characters together.`
    return [{ path, message }]
  }
  const issues: Issue[] = []
  for (const { at, schema, isInput } of all) {
    const found = await jsonSchemaIssues(schema, at)
    if (found.length === 0 && isInput && !takesObjects(schema)) {
      found.push({ path: `${at}/type`, message: 'Must be object: a tool is called with one.' })
    }
    issues.push(...found)
    // compiling takes its time, and others are waiting
    await nextTurn()
  }
  return issues
}

/** What is wrong with a content besides its shape. */
export async function contentIssues(content: unknown, path: string): Promise<Issue[]> {
  if (!isObject(content)) return []
  const names = [
    ...fieldOfEach(content.tools, 'name', `${path}/tools`),
    ...fieldOfEach(content.delegates, 'name', `${path}/delegates`),
  ]
  return [
    ...repeated(names),
    ...bindingIssues(content.bindings, `${path}/bindings`),
    ...(await schemaIssues(content, path)),
  ]
}

const known: ReadonlySet<string> = new Set(permissions)

/** What is wrong with the names of granted operations. */
export function grantIssues(granted: unknown, path: string): Issue[] {
  const all = listOf(granted).map((name, index) => ({ path: `${path}/${index}`, name }))
  const unknown = all.flatMap(({ path: at, name }) =>
    typeof name === 'string' && !known.has(name) && !operationPattern.test(name)
      ? [{ path: at, message: 'Is neither a permission nor `<definition>.<operation>`.' }]
      : [],
  )
  return [...repeated(all), ...unknown]
}
