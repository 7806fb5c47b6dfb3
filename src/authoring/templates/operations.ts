/** Operations as templates write them: those that look something up, and those that put something on record. */
import type { Handler, JsonSchema, Operation } from '../definitions/source.ts'

interface Described {
  name: string
  description: string
  /** Its inputs by name; each is a JSON Schema. */
  takes: Record<string, JsonSchema>
  /** The required inputs; omitted: all. */
  required?: string[]
}

const operation = ({ name, description, takes, required = Object.keys(takes) }: Described, handler: Handler) =>
  ({
    name,
    description,
    inputSchema: { type: 'object', properties: takes, required, additionalProperties: false },
    effect: 'read',
    idempotent: true,
    approval: 'never',
    handler,
  }) satisfies Operation

/** Reads over a Connection. */
export const reading = (
  described: Described,
  { connection, ...request }: Pick<Extract<Handler, { type: 'http' }>, 'connection' | 'path' | 'query' | 'headers'>,
): Operation => operation(described, { type: 'http', connection, method: 'GET', ...request })

/** Answers what it is given: it is found in the steps of the run, in a form that a program can read. */
export const recording = (described: Described): Operation => operation(described, { type: 'echo' })
