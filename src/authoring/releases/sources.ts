/**
 * Problems within the sources that a Release pins: placeholders that name nothing, paths in another
 * notation, undeclared bindings. Pure. Source: contract 3, "A Release is refused".
 */

import type { Issue } from '../../platform/http/answers/errors.ts'
import { isObject } from '../../platform/json.ts'
import { type Placeholder, placeholdersIn, type Root, readPlaceholder, textsIn } from '../definitions/placeholders.ts'
import {
  type DefinitionSource,
  fieldsWithValues,
  type Handler,
  type JsonSchema,
  type Operation,
} from '../definitions/source.ts'

/** The keys that an Agent of the Release declares or an Environment of the Project has. */
export interface Provided {
  connections: ReadonlySet<string>
  variables: ReadonlySet<string>
}

/** `path`: where the source is. */
interface PinnedSource {
  path: string
  source: DefinitionSource
}

/** Matches `{x}` after `{{…}}` is removed. */
const singleBraces = /\{([^{}]*)\}/g

/** Keywords that permit further properties. */
const openings = ['additionalProperties', 'patternProperties', '$ref', 'allOf', 'anyOf', 'oneOf', 'if', '$dynamicRef']

/** Whether a schema permits only values that have nothing within them, such as texts and numbers. */
const isOfScalars = ({ type }: JsonSchema) =>
  type !== undefined && [type].flat().every((one) => one !== 'object' && one !== 'array')

/**
 * Whether a schema rules out that its value has something at this path: there is nothing within its values, or it lists
 * what there is, and this is not there.
 */
function rulesOut(schema: unknown, path: readonly string[]): boolean {
  const [name, ...rest] = path
  if (name === undefined || !isObject(schema)) return false
  if (isOfScalars(schema)) return true
  if (!isObject(schema.properties)) return false
  if (Object.hasOwn(schema.properties, name)) return rulesOut(schema.properties[name], rest)
  return openings.every((keyword) => schema[keyword] === undefined || schema[keyword] === false)
}

/** Each placeholder of a value, with its place. */
function* placeholdersOf(value: unknown, path: string, roots: readonly Root[]) {
  for (const { path: at, text, isKey } of textsIn(value, path)) {
    if (isKey) continue
    for (const inner of placeholdersIn(text)) {
      const found = inner === undefined ? undefined : readPlaceholder(inner, roots)
      if (found) yield { at, inner: inner as string, ...(found satisfies Placeholder) }
    }
  }
}

function* unnamedInputs(value: unknown, path: string, root: 'input' | 'params', schema: JsonSchema): Generator<Issue> {
  const named = root === 'input' ? 'the inputSchema' : 'params'
  for (const { at, inner, path: names } of placeholdersOf(value, path, [root])) {
    if (!rulesOut(schema, names)) continue
    yield { path: at, message: `{{${inner}}} names nothing that there is: ${named} has no ${names.join('.')}.` }
  }
}

function* ofHandler({ inputSchema }: Operation, handler: Handler, path: string, provided: Provided): Generator<Issue> {
  if (handler.type === 'agent') yield* unnamedInputs(handler.query, `${path}/query`, 'input', inputSchema)
  if (handler.type !== 'http' && handler.type !== 'mcp') return
  const { connection } = handler
  if (!provided.connections.has(connection)) {
    const message =
      `The Connection ${connection} is not declared: give an Agent of the Release a binding with that bindingKey, or ` +
      'create a Connection with that name in an Environment of the Project.'
    yield { path: `${path}/connection`, message }
  }
  if (handler.type === 'mcp') return
  for (const [, name = ''] of handler.path.replace(/\{\{.*?\}\}/gs, '').matchAll(singleBraces)) {
    yield { path: `${path}/path`, message: `{${name}} stands for nothing: write {{input.${name || 'x'}}}.` }
  }
  for (const field of ['path', 'query', 'headers', 'body'] as const) {
    yield* unnamedInputs(handler[field], `${path}/${field}`, 'input', inputSchema)
    for (const { at, path: names } of placeholdersOf(handler[field], `${path}/${field}`, ['variables'])) {
      const name = names[0] as string
      if (provided.variables.has(name)) continue
      const message =
        `There is no variable ${name}: give an Agent of the Release a binding of kind variable with that bindingKey, or ` +
        'create a variable with that name in an Environment of the Project.'
      yield { path: at, message }
    }
  }
}

/** Everything that is wrong with one source. */
export function* sourceFaults({ path, source }: PinnedSource, provided: Provided): Generator<Issue> {
  if ('operations' in source) {
    for (const [index, operation] of source.operations.entries()) {
      yield* ofHandler(operation, operation.handler, `${path}/operations/${index}/handler`, provided)
    }
  } else if ('steps' in source) {
    for (const [index, step] of source.steps.entries()) {
      for (const field of fieldsWithValues) {
        yield* unnamedInputs(step[field], `${path}/steps/${index}/${field}`, 'params', source.params)
      }
      const undoing = step.compensate?.input
      yield* unnamedInputs(undoing, `${path}/steps/${index}/compensate/input`, 'params', source.params)
    }
    yield* unnamedInputs(source.output, `${path}/output`, 'params', source.params)
  }
}

/** Whether anything in the source is asked of an Environment. */
export const asksEnvironment = ({ source }: PinnedSource): boolean =>
  'operations' in source && source.operations.some(({ handler }) => handler.type === 'http' || handler.type === 'mcp')
