/**
 * The builtin tool `json`: a JMESPath query on a JSON value. A query's result can be larger than its input, and its work
 * many times that, so bounds of both are computed from the query before it runs.
 */
import { compile, type JmesNode, search } from 'jmespath'
import { ToolError, type ToolExecutor } from './executor.ts'
import { stepsOf } from './query-steps.ts'

const queryCharactersMax = 1_000
const valueCharactersMax = 256 * 1024
/** The bound of a query's result, in characters. */
const resultCharactersMax = 16 * 1024 * 1024
/** A step takes some ten nanoseconds. */
const stepsMax = 2_000_000
const messageCharactersMax = 300
/** The growth of a text within a text: each quote and control character is escaped. */
const escaping = 6
/** The characters around the name of a field. */
const punctuation = 4

export const jsonTool: ToolExecutor = {
  idempotent: true,
  description:
    'Queries a JSON value by JMESPath, such as "items[?price > `10`].{name: name, price: price}" or "length(items)". ' +
    'Returns what the query finds, null for nothing.',
  inputSchema: {
    type: 'object',
    properties: {
      query: { type: 'string', minLength: 1, maxLength: queryCharactersMax, description: 'JMESPath.' },
      value: { description: 'The value: JSON, or a text that is JSON.' },
    },
    required: ['query', 'value'],
    additionalProperties: false,
  },
  execute({ query, value }) {
    const text = typeof value === 'string' ? value : JSON.stringify(value ?? null)
    if (text.length > valueCharactersMax) {
      throw new ToolError(`The value has more than ${valueCharactersMax.toLocaleString('en')} characters of JSON.`)
    }
    return { result: plain(found(parsed(text), String(query), text.length)) }
  },
}

interface Parsed {
  value: unknown
  /** Its scalars, lists and objects. */
  parts: number
}

function parsed(text: string): Parsed {
  let parts = 0
  try {
    // without a prototype, so that a query finds only the value's own fields
    const value = JSON.parse(text, (_, part) => {
      parts += 1
      return part && typeof part === 'object' && !Array.isArray(part) ? Object.assign(Object.create(null), part) : part
    })
    return { value, parts }
  } catch {
    throw new ToolError('The value is a text that is not JSON.')
  }
}

function found({ value, parts }: Parsed, query: string, characters: number): unknown {
  try {
    const tree = compile(query)
    if (growthOf(tree) * (characters + queryCharactersMax) > resultCharactersMax) {
      throw new ToolError('The query could make far more of the value than there is: ask for less at a time.')
    }
    if (stepsOf(tree, parts) > stepsMax) {
      throw new ToolError(
        'The query is too much work for a value of this size: simplify it, or give less of the value.',
      )
    }
    return search(value, query)
  } catch (error) {
    if (error instanceof ToolError) throw error
    const { message } = error as Error
    throw new ToolError(`The query is not valid: ${message.slice(0, messageCharactersMax).toWellFormed()}`)
  }
}

/** JSON again; references to expressions are not values. */
const plain = (result: unknown): unknown => JSON.parse(JSON.stringify(result) ?? 'null')

/** The largest ratio of the result's size to the input's. A projection sees each element of its input separately. */
function growthOf(node: JmesNode): number {
  const growths = (node.children ?? []).filter((child) => child !== null && typeof child === 'object').map(growthOf)
  switch (node.type) {
    case 'Subexpression':
    case 'IndexExpression':
    case 'Projection':
    case 'ValueProjection':
    case 'Pipe':
      return product(growths)
    case 'FilterProjection':
      // the condition is evaluated and dropped
      return Math.max(product(growths.slice(0, 2)), (growths[0] ?? 1) * (growths[2] ?? 1))
    case 'MultiSelectList':
      return 1 + sum(growths)
    case 'MultiSelectHash':
      return 1 + sum(growths)
    case 'KeyValuePair':
      return punctuation + (node.name ?? '').length + growthOf(node.value as JmesNode)
    case 'Literal':
      // one for each element, if it is within a projection
      return JSON.stringify(node.value).length
    case 'Function':
      return ofFunction(node, growths)
    default:
      return Math.max(1, sum(growths))
  }
}

function ofFunction({ name, children }: JmesNode, growths: number[]): number {
  if (name === 'map' || name?.endsWith('_by')) return product(growths)
  if (name === 'to_string') return escaping * sum(growths)
  if (name !== 'join') return Math.max(1, sum(growths))
  const glue = children?.[0] as JmesNode | undefined
  if (glue?.type !== 'Literal' || typeof glue.value !== 'string') {
    throw new ToolError("The first argument of join must be a literal, such as ', '.")
  }
  return (1 + glue.value.length) * sum(growths)
}

const product = (numbers: number[]): number => numbers.reduce((all, one) => all * one, 1)
const sum = (numbers: number[]): number => numbers.reduce((all, one) => all + one, 0)
