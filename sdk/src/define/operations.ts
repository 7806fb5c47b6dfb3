/** Operations: what Agents and workflows may have done. */
import type { Operation, OperationHandler, OperationsSource } from '../generated/schemas.ts'
import { type AnySchema, type Infer, jsonSchemaOf } from '../schemas/schema.ts'
import { type Placeholder, placeholder } from './placeholders.ts'

/** An operation as its author writes it. */
export interface OperationDefinition<Input extends AnySchema = AnySchema> {
  /** What it does; the model reads it. */
  description: string
  /** What it takes: an object. */
  input: Input
  /** What it gives. */
  output?: AnySchema
  /** Whether it changes anything. */
  effect: Operation['effect']
  /** Whether doing it twice is as good as once. Default: it is for `read`. */
  idempotent?: boolean
  /** Whether a person has to agree first. Default: `never`. */
  approval?: Operation['approval']
  timeoutMs?: number
  /** How it is carried out; a function gets the input's placeholders. */
  handler: OperationHandler | ((input: Placeholder<Infer<Input>>) => OperationHandler)
}

/** One operation, as an Agent names it among its tools and a workflow among its steps. */
export interface OperationReference<Input = unknown> {
  /** `<definition>.<operation>` */
  readonly operation: string
  /** Where it is defined. */
  readonly definition: OperationsDefinition
  /** The type of its input; there is no value. */
  readonly '~input'?: Input
}

/** A Definition of kind `operations`. */
export interface OperationsDefinition<Inputs extends Record<string, unknown> = Record<string, unknown>> {
  readonly name: string
  readonly kind: 'operations'
  readonly description?: string
  readonly source: OperationsSource
  /** Its operations, for the tools of Agents. */
  readonly operations: { readonly [Name in keyof Inputs]: OperationReference<Inputs[Name]> }
}

/** The type of what an operation takes: `OperationInput<typeof orders.operations.find>`. */
export type OperationInput<Reference extends OperationReference> = NonNullable<Reference['~input']>

function operationOf(name: string, definition: OperationDefinition): Operation {
  const { description, input, output, effect, approval = 'never', timeoutMs, handler } = definition
  const { idempotent = effect === 'read' } = definition
  const carriedOut = typeof handler === 'function' ? handler(placeholder('input')) : handler
  return {
    name,
    description,
    inputSchema: jsonSchemaOf(input),
    ...(output && { outputSchema: jsonSchemaOf(output) }),
    effect,
    idempotent,
    approval,
    ...(timeoutMs !== undefined && { timeoutMs }),
    // placeholders become text
    handler: JSON.parse(JSON.stringify(carriedOut)) as OperationHandler,
  }
}

/** An operation. The type of its input reaches the handler, whether the schema is JSON Schema or of a library. */
export const operation = <const Input extends AnySchema>(
  definition: OperationDefinition<Input>,
): OperationDefinition<Input> => definition

/**
 * Operations under one name.
 *
 *     const orders = defineOperations('orders', {
 *       find: operation({
 *         description: 'Finds an order by its number.',
 *         input: z.object({ number: z.string() }),
 *         effect: 'read',
 *         handler: (input) => ({ type: 'http', connection: 'shop', method: 'GET', path: `/orders/${input.number}` }),
 *       }),
 *     })
 */
export function defineOperations<Inputs extends Record<string, AnySchema>>(
  name: string,
  operations: { [Name in keyof Inputs]: OperationDefinition<Inputs[Name]> },
  description?: string,
): OperationsDefinition<{ [Name in keyof Inputs]: Infer<Inputs[Name]> }> {
  const entries = Object.entries(operations) as [string, OperationDefinition][]
  const references: Record<string, OperationReference> = {}
  const definition = {
    name,
    kind: 'operations' as const,
    ...(description !== undefined && { description }),
    source: { operations: entries.map(([each, written]) => operationOf(each, written)) },
    operations: references,
  }
  for (const [each] of entries) references[each] = { operation: `${name}.${each}`, definition }
  return definition as unknown as OperationsDefinition<{ [Name in keyof Inputs]: Infer<Inputs[Name]> }>
}
