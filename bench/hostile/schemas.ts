/** JSON Schemas and templates, each of which once blocked the whole server for seconds. */
import { deployAgent } from '../environments.ts'
import { requestBytes } from '../http-client.ts'
import type { Attack } from './attack.ts'

const textOf = (length: number) => 'x'.repeat(length)

const backtracking = '^(a+)+$'
const unmatched = `${'a'.repeat(25)}!`

interface Costly {
  what: string
  inputSchema: object
  input: unknown
  handler?: object
}

/** Each level refers twice to the next one. */
const doubling = (levels: number) => ({
  $ref: '#/$defs/l0',
  $defs: Object.fromEntries(
    Array.from({ length: levels }, (_, level) => {
      const next = { $ref: `#/$defs/l${level + 1}` }
      return [`l${level}`, level === levels - 1 ? { type: 'object' } : { allOf: [next, next] }]
    }),
  ),
})

const choices = Array.from({ length: 2_000 }, (_, index) => [`choice ${index}`])

const costly: Costly[] = [
  {
    what: 'a pattern that backtracks',
    inputSchema: { type: 'object', properties: { s: { type: 'string', pattern: backtracking } } },
    input: { s: unmatched },
  },
  {
    what: 'a slow pattern for each item',
    inputSchema: {
      type: 'object',
      properties: { list: { type: 'array', items: { not: { type: 'string', pattern: backtracking } } } },
    },
    input: { list: Array.from({ length: 10 }, () => unmatched) },
  },
  {
    what: 'a slow pattern for each name',
    inputSchema: { type: 'object', patternProperties: { [backtracking]: { type: 'number' } } },
    input: Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`${unmatched}${index}`, 1])),
  },
  {
    what: '60,000 objects that must differ',
    inputSchema: { type: 'object', properties: { list: { type: 'array', uniqueItems: true } } },
    input: { list: Array.from({ length: 60_000 }, (_, a) => ({ a })) },
  },
  {
    what: 'references that double at each level',
    inputSchema: doubling(24),
    input: { a: 1 },
  },
  {
    what: '2,000 choices for each of 20,000 items',
    inputSchema: {
      type: 'object',
      properties: { list: { type: 'array', items: { enum: choices } } },
    },
    input: { list: Array.from({ length: 20_000 }, () => choices.at(-1)) },
  },
  {
    what: 'a template that repeats 400 KB 3,000 times',
    inputSchema: { type: 'object', properties: { s: { type: 'string' } } },
    input: { s: textOf(400_000) },
    handler: { type: 'agent', agent: 'agent', query: '{{input.s}}'.repeat(3_000) },
  },
]

let projects = 0

const attackOf = ({ what, inputSchema, input, handler = { type: 'echo' } }: Costly): Attack => ({
  what,
  clients: 2,
  async prepare(server) {
    projects += 1
    const operation = {
      name: 'take',
      description: 'Takes what it is given.',
      inputSchema,
      effect: 'read',
      idempotent: true,
      approval: 'never',
      handler,
    }
    try {
      const place = await deployAgent(server, `costly-${projects}`, { costly: { operations: [operation] } })
      const path = `${place.path}/agents/${place.agentId}/operations/costly.take/invoke`
      return [requestBytes('POST', path, { key: server.key, body: { input } })]
    } catch (error) {
      if (error instanceof Error && / answered 422: /.test(error.message)) return undefined
      throw error
    }
  },
})

export const schemaAttacks: Attack[] = costly.map(attackOf)
